import { join } from 'node:path';
import { type Context, createTemplate, operator } from '@posthorn/domain';
import { ensureBrowser, freePort } from '@posthorn/servers';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../tests/browser/launch-browser.js';
import { startChild } from './support/child.js';
import { median } from './support/figure.js';
import { report } from './support/report.js';
import { openStack, type Stack } from './support/stack.js';
import type { Row } from './support/table.js';

/**
 * Measures how fast the dashboard appears in a browser with an empty cache: first and largest contentful
 * paint, and the transferred size of scripts and styles.
 */
const LOADS = Number(process.env.LOADS ?? 5);
const EMAILS = 25;
const KB = 1_000;

/** Runs in the page. `buffered` includes earlier paints. */
const PAINTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve({
    first: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    largest: list.getEntries().at(-1).startTime,
  })).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = { ...stack.env, NODE_ENV: 'bench', PORT: String(port), PUBLIC_URL: url };
const api = await startChild(join(ROOT, 'apps/api/dist/main.js'), env, { isReady: /api_listening/ });
const browser = await launchBrowser(await ensureBrowser((line) => process.stderr.write(`${line}\n`)));
const templateId = await fill(stack);

const rows: Row[] = [];
for (const path of ['/login', '/', '/emails', `/templates/${templateId}`]) rows.push(await measure(path));
await browser.close();
await api.stop();
await stack.close();
report('dashboard', rows, undefined, { LOADS, EMAILS, ...stack.versions });

type Load = { readonly first: number; readonly largest: number; readonly script: number; readonly style: number };

async function measure(path: string): Promise<Row> {
  await load(browser, path);
  const loads: Load[] = [];
  for (let count = 0; count < LOADS; count += 1) loads.push(await load(browser, path));
  const medianOf = (name: keyof Load) => Math.round(median(loads.map((each) => each[name])));
  return {
    page: path.replace(/[0-9a-f-]{36}/, ':id'),
    'first paint ms': medianOf('first'),
    'largest paint ms': medianOf('largest'),
    'scripts kB': medianOf('script'),
    'styles kB': medianOf('style'),
  };
}

/** Loads a page with an empty cache. Sizes are compressed, as transferred. */
async function load(from: Browser, path: string): Promise<Load> {
  const context = await from.newContext({ baseURL: url, reducedMotion: 'reduce' });
  const page = await context.newPage();
  if (path !== '/login') await logIn(page);
  const sizes: Array<Promise<{ type: string; size: number }>> = [];
  page.on('requestfinished', (request) => {
    const type = request.resourceType();
    sizes.push(request.sizes().then(({ responseBodySize: size }) => ({ type, size })));
  });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const paints = (await page.evaluate(PAINTS)) as { first: number; largest: number };
  const found = await Promise.all(sizes);
  await context.close();
  const weight = (wanted: string) =>
    found.filter(({ type }) => type === wanted).reduce((sum, { size }) => sum + size, 0) / KB;
  return { ...paints, script: weight('script'), style: weight('stylesheet') };
}

async function logIn(page: Page): Promise<void> {
  const response = await page.request.post('/auth/login', { data: stack.owner });
  if (!response.ok()) throw new Error(`The login returned ${response.status()}`);
}

/** @returns the id of a template */
async function fill({ ctx, workspaceId, key }: Stack): Promise<string> {
  for (let email = 0; email < EMAILS; email += 1) {
    const response = await fetch(`${url}/api/v1/emails`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: [`jane${email}@example.com`], subject: `Order ${email}`, text: 'On its way' }),
    });
    if (response.status !== 202) throw new Error(`A send returned ${response.status}`);
  }
  return addTemplate(ctx, workspaceId);
}

async function addTemplate(ctx: Context, workspaceId: string): Promise<string> {
  const texts = { subject: 'Order {{order}}', htmlBody: '<p>Dear {{name}}</p>', textBody: 'Dear {{name}}' };
  return (await createTemplate(ctx, operator, workspaceId, { name: 'Receipt', ...texts })).id;
}
