import { limits, plans } from '@posthorn/domain';
import { routes } from '../../src/app.js';
import { problems } from '../../src/http-errors.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

describe('GET /docs', () => {
  let t: TestApi;
  let html: string;

  beforeAll(async () => {
    t = await openTestApi({ config: { publicUrl: 'https://mail.example.com' } });
    const response = await t.api.get('/docs');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    html = response.text;
  });
  afterAll(() => t.close());

  test('uses nothing that the content security policy forbids', async () => {
    const { headers } = await t.api.get('/docs');
    expect(headers['content-security-policy']).toContain("style-src 'self'");
    expect(html).not.toMatch(/<script|<style| style=| on\w+=|javascript:/i);
    const sheet = await t.api.get('/docs/style.css');
    expect(sheet.status).toBe(200);
    expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8');
    expect(html).toContain('href="/docs/style.css"');
  });

  test('explains every code at the anchor that the problem `type` links to', async () => {
    for (const code of Object.keys(problems)) expect(html).toContain(`<tr id="${code}"><td><code>${code}</code></td>`);
    const { type } = (await t.api.get('/nowhere')).body;
    expect(type).toBe('https://mail.example.com/docs#not_found');
  });

  test('lists every route, limit and plan', () => {
    for (const { method, path } of routes) {
      expect(html).toContain(
        `<td><code>${method.toUpperCase()}</code></td><td><code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code></td>`,
      );
    }
    for (const { max, unit } of Object.values(limits))
      expect(html).toContain(`<td>${max.toLocaleString('en-US')} ${unit}</td>`);
    for (const { name } of Object.values(plans)) expect(html).toContain(`<td>${name}</td>`);
  });

  test('has no duplicate id and no broken link', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(10);
    for (const target of targets) expect(ids).toContain(target);
  });

  test('is well formed: every element is closed, in order', () => {
    const open: string[] = [];
    for (const [, closing, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (['meta', 'link'].includes(name)) continue;
      if (closing) expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
  });

  test('shows an example request to this server', () => {
    expect(html).toContain('curl https://mail.example.com/api/v1/emails');
  });
});
