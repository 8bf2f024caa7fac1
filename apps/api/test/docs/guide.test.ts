import { limits } from '@posthorn/domain/limits';
import { plans } from '@posthorn/domain/plans';
import { routes } from '../../src/app.js';
import { problems } from '../../src/http/http-errors.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const VOID_ELEMENTS = ['meta', 'link', 'input', 'img'];

let t: TestApi;
/** Every page by its path. */
const pages = new Map<string, string>();

beforeAll(async () => {
  t = await openTestApi({ config: { publicUrl: 'https://mail.example.com' } });
  const named = routes.flatMap(
    ({ path, pathValues }) => pathValues?.page?.map((name) => path.replace(':page', name)) ?? [],
  );
  for (const path of ['/docs', ...named]) {
    const response = await t.api.get(path);
    expect([path, response.status, response.headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
    pages.set(path, response.text);
  }
  expect(pages.size).toBe(19);
});
afterAll(() => t.close());

describe('every page of the docs', () => {
  test('uses nothing that the content security policy forbids', () => {
    for (const html of pages.values()) {
      expect(html).not.toMatch(/<style| style=| on\w+=|javascript:/i);
      for (const [, attributes] of html.matchAll(/<script([^>]*)>(?!<\/script>)/g)) expect(attributes).toBeUndefined();
      const loaded = [...html.matchAll(/(?:<script[^>]* src|<link[^>]* href|<img src)="([^"]+)"/g)].map(
        ([, url]) => url,
      );
      expect(new Set(loaded)).toEqual(
        new Set(['/favicon.svg', '/docs/style.css', '/docs/scripts/color-scheme.js', '/docs/scripts/main.js']),
      );
    }
  });

  test('has no duplicate id and no broken link', () => {
    const ids = new Map([...pages].map(([path, html]) => [path, matches(html, / id="([^"]+)"/g)]));
    for (const [path, html] of pages) {
      const own = ids.get(path) ?? [];
      expect(new Set(own).size).toBe(own.length);
      const links = matches(html, / href="((?:\/docs)?[^":.]*#?[^":.]*)"/g);
      expect(links.length).toBeGreaterThan(10);
      for (const link of links) {
        const [target, anchor] = link.split('#');
        const page = target === '' ? path : target;
        if (page === '/' || page === '/api-keys') continue;
        expect([link, [...pages.keys()]]).toEqual([link, expect.arrayContaining([page])]);
        if (anchor !== undefined && anchor !== 'main') expect([...(ids.get(page ?? '') ?? [])]).toContain(anchor);
      }
    }
  });

  test('is well formed: every element is closed, in order', () => {
    for (const html of pages.values()) {
      const open: string[] = [];
      for (const [, closing, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
        if (VOID_ELEMENTS.includes(name)) continue;
        if (closing) expect(open.pop()).toBe(name);
        else open.push(name);
      }
      expect(open).toEqual([]);
    }
  });
});

describe('GET /docs', () => {
  const guide = () => pages.get('/docs') ?? '';

  test('may load scripts and styles only from this service', async () => {
    const { headers } = await t.api.get('/docs');
    expect(headers['content-security-policy']?.split(';')).toEqual([
      "default-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
    ]);
    expect((await t.api.get('/healthz')).headers['content-security-policy']).not.toContain('script-src');
  });

  test('explains every code at the anchor that the problem `type` links to', async () => {
    for (const code of Object.keys(problems))
      expect(guide()).toContain(`<tr id="${code}"><td><code>${code}</code></td>`);
    const { type } = (await t.api.get('/nowhere')).body;
    expect(type).toBe('https://mail.example.com/docs#not_found');
  });

  test('lists every route, limit and plan', () => {
    for (const { method, path } of routes) {
      expect(guide()).toContain(
        `<td><code>${method.toUpperCase()}</code></td><td><code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code></td>`,
      );
    }
    for (const { max, unit } of Object.values(limits))
      expect(guide()).toContain(`<td>${max.toLocaleString('en-US')} ${unit}</td>`);
    for (const { name } of Object.values(plans)) expect(guide()).toContain(`<td>${name}</td>`);
  });

  test('shows example requests to this server', () => {
    expect(guide()).toContain('curl https://mail.example.com/api/v1/emails');
    expect(guide()).toContain('fetch(&#39;https://mail.example.com/api/v1/emails&#39;');
  });

  test('links each call in the text to its description', () => {
    expect(guide()).toContain('<a href="/docs/reference/emails#getEmail"><code>GET /api/v1/emails/{id}</code></a>');
  });
});

describe('GET /docs/reference/{page}', () => {
  test('describes every operation once', () => {
    const all = [...pages.values()].join('\n');
    for (const { operationId, method, path } of routes) {
      expect(all.split(`<section class="operation" id="${operationId}"`)).toHaveLength(2);
      expect(all).toContain(`<code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code></p>`);
      expect(all).toContain(`>${method.toUpperCase()}</span>`);
    }
  });

  test('shows the fields of a request with their types, limits and descriptions', () => {
    const rows = matches(pages.get('/docs/reference/emails') ?? '', /<tr><td><code>(.+?)<\/tr>/g);
    expect(rows).toContain(
      'to</code><span class="type">array of strings, <span class="required">required</span></span></td><td><code>jane@example.com</code> or <code>Jane Doe &lt;jane@example.com&gt;</code>. Together, to, cc and bcc can have at most 50 addresses.<span class="limits">1 to 100 items</span></td>',
    );
    expect(rows).toContainEqual(
      expect.stringMatching(/^attachments\[\]\.content_id<\/code><span class="type">string</),
    );
    expect(rows).toContainEqual(
      expect.stringMatching(/^priority<.+one of <code>high<\/code>, <code>normal<\/code>, <code>bulk<\/code>/),
    );
    expect(rows).toContainEqual(expect.stringMatching(/^limit<.+integer.+1 to 100/));
    expect(rows).toContainEqual(
      expect.stringMatching(/^recipients\[\]\.smtp_code<\/code><span class="type">number or null/),
    );
  });

  test('describes every field of a request', () => {
    const undescribed = [...pages.values()].flatMap((html) =>
      matches(
        html.replace(/<details>[\s\S]*?<\/details>/g, ''),
        /<tr><td><code>([^<]+)<\/code><span[^>]*>.{0,70}<\/span><\/td><td>(?:<span class="limits">[^<]*<\/span>)?<\/td>/g,
      ),
    );
    expect([...new Set(undescribed)].sort()).toEqual([]);
  });

  test.each(['nope', '..%2f..%2fpackage.json', 'Emails'])('answers 404 for the unknown page %s', async (name) => {
    expect((await t.api.get(`/docs/reference/${name}`)).status).toBe(404);
    expect((await t.api.get(`/docs/guides/${name}`)).status).toBe(404);
    expect((await t.api.get(`/docs/scripts/${name}`)).status).toBe(404);
  });
});

describe('the files of the docs', () => {
  test.each(['/docs/style.css', '/docs/scripts/main.js', '/docs/scripts/try-it.js'])('are served: %s', async (path) => {
    const response = await fetch(`${t.url}${path}`);
    const body = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
    ]);
    expect(body).not.toMatch(/https?:\/\//);
    expect(body.length).toBeGreaterThan(100);
  });

  test('include an index of everything that can be searched', async () => {
    const { body } = await t.api.get('/docs/search.json');
    const urls = body.map(({ url }: { url: string }) => url);
    expect(urls).toContain('/docs/reference/emails#sendEmail');
    expect(urls).toContain('/docs#idempotency');
    expect(urls).toContain('/docs#rate_limited');
    for (const url of urls) {
      const [path, id] = url.split('#');
      const anchor = id === undefined ? '' : ` id="${id}"`;
      expect([url, pages.get(path)?.includes(anchor)]).toEqual([url, true]);
    }
  });
});

function matches(html: string, pattern: RegExp): string[] {
  return [...html.matchAll(pattern)].map(([, found = '']) => found);
}
