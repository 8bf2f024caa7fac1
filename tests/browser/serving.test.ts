import { readdirSync, statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { dashboardPages } from '@posthorn/contract';
import { describeInBrowser } from './describe-in-browser.js';
import { type FilledWorkspace, fillWorkspace } from './fill-workspace.js';
import { authPages, pagePath } from './page-paths.js';
import { logIn, showPage } from './show-page.js';

const POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
].join(';');

const MAX_SCRIPT_BYTES = 300_000;
const ASSETS = join(import.meta.dirname, '../../apps/dashboard/dist/assets');

type ServedResponse = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string };

describeInBrowser('the API', (t) => {
  let tenant: Awaited<ReturnType<typeof t.newTenant>>;
  let filled: FilledWorkspace;

  beforeAll(async () => {
    tenant = await t.newTenant();
    filled = await fillWorkspace(t, tenant);
  });

  /** Sends the path unchanged. `fetch` would resolve the dots in it. */
  async function fetchPath(path: string, method = 'GET', accept = '*/*'): Promise<ServedResponse> {
    const headers = { 'Accept-Encoding': 'gzip', Accept: accept };
    const request = httpRequest(new URL(t.url), { method, path, headers });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject).end();
    });
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  }

  test.each(dashboardPages)('serves the same uncached document at %s, with no scripts but our own', async (page) => {
    const { status, headers, body } = await fetchPath(pagePath(page, filled));
    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
      }),
    ]);
    expect(body).toBe((await fetchPath('/')).body);
    expect(body.match(/<script(?! (type="module" crossorigin )?src="\/)[^>]*>/g)).toBeNull();
  });

  test('serves compressed scripts and styles that can be cached for a year', async () => {
    const names = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
    expect(names.length).toBeGreaterThan(dashboardPages.length);
    for (const name of names) {
      const { status, headers } = await fetchPath(`/assets/${name}`);
      expect([name, status, headers]).toEqual([name, 200, expect.objectContaining(ASSET_HEADERS)]);
      if (statSync(join(ASSETS, name)).size > 2_000)
        expect([name, headers['content-encoding']]).toEqual([name, 'gzip']);
    }
  });

  test.each([
    '/nope',
    '/emails/x/y',
    '/emails/',
    '/Emails',
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/nope.js',
    '/../package.json',
    '/%2e%2e/package.json',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%5c..%5cpackage.json',
    '//example.com/',
    '/%00',
    '/%',
  ])('responds to a request for %s with a JSON 404', async (path) => {
    const { status, headers, body } = await fetchPath(path);
    expect([status, headers['content-type'], JSON.parse(body)]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
      expect.objectContaining({ code: 'not_found' }),
    ]);
  });

  const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test.each(['/nope', '/emails/x/y', '/%00', '/%'])('shows a browser a page with status 404 at %s', async (path) => {
    const { status, headers, body } = await fetchPath(path, 'GET', BROWSER_ACCEPT);
    expect([status, headers]).toEqual([
      404,
      expect.objectContaining({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }),
    ]);
    expect(body).toBe((await fetchPath('/')).body);
  });

  test.each([
    ['GET', '/api/nope'],
    ['GET', '/auth/nope'],
    ['GET', '/assets/nope.js'],
    ['GET', '//example.com/'],
    ['POST', '/nope'],
  ])('responds to %s %s from a browser with a JSON 404', async (method, path) => {
    const { status, headers } = await fetchPath(path, method, BROWSER_ACCEPT);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
  });

  test.each(['/nowhere', '/%'])('shows someone who mistyped an address as %s the way back', async (path) => {
    const page = await t.newPage();
    t.expectFault(/ returned 404$/);
    await page.goto(path);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to overview' }).waitFor();
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('rejects %s requests for pages and files', async (method) => {
    expect((await fetchPath('/emails', method)).status).toBe(405);
    expect((await fetchPath('/favicon.svg', method)).status).toBe(404);
  });

  test('responds to a HEAD request for a page as it does to GET, but without the document', async () => {
    const { status, headers, body } = await fetchPath('/emails', 'HEAD');
    expect([status, headers['content-security-policy'], body]).toEqual([200, POLICY, '']);
    expect((await fetchPath('/nope', 'HEAD')).status).toBe(404);
  });

  test('serves every page', async () => {
    const loggedOut = await t.newPage();
    for (const page of authPages) await showPage(loggedOut, `${pagePath(page, filled)}?token=none`);
    const loggedIn = await t.newPage();
    await logIn(loggedIn, tenant);
    for (const page of dashboardPages.filter((each) => !authPages.includes(each)))
      await showPage(loggedIn, pagePath(page, filled));
  });

  test('shows a not-found page for an unknown path inside the dashboard', async () => {
    const page = await t.newPage();
    await page.goto('/login');
    await page.evaluate(`history.pushState(null, '', '/nowhere')`);
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test.each(['/login', '/'])(
    `loads less than ${MAX_SCRIPT_BYTES / 1_000} kB of gzipped scripts to show %s`,
    async (path) => {
      const page = await t.newPage();
      if (path === '/') await logIn(page, tenant);
      const scripts: string[] = [];
      page.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
      });
      await showPage(page, path);
      const responses = await Promise.all(scripts.map((script) => fetchPath(script)));
      const sizes = responses.map(({ headers }) => Number(headers['content-length']));
      expect(sizes.length).toBeGreaterThan(1);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES);
    },
  );
});

const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.any(String),
};
