import { createTrackingTokenMaker } from '@posthorn/domain/links';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { openTestTracking, type TestTracking } from './open-test-tracking.js';

/** Nothing listens on port 1, so neither Postgres nor Redis can be reached. */
const config = toConfig(
  readEnv({
    DATABASE_URL: 'postgres://127.0.0.1:1/posthorn',
    REDIS_URL: 'redis://127.0.0.1:1',
    SECRET_KEY: 'a secret that is only good for tests',
  }),
  'tracking',
);
const makeToken = createTrackingTokenMaker(config);
const emailId = '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370';
const target = 'https://shop.example/sale?a=1&b=%C3%A4#top';
const image = `/o/${makeToken({ emailId, position: 0, url: null })}`;
const link = `/c/${makeToken({ emailId, position: 0, url: target })}`;

const log = createLog('test', 'silent');
const tracked = { trackingUrl: 'https://links.example', trackingCname: 'links.example' };

let t: TestTracking;

beforeAll(async () => {
  t = await openTestTracking({ config, log });
});

afterAll(() => t.close());

test('the image is a GIF of 43 bytes that is never cached', async () => {
  const response = await t.request(image);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/gif');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([bytes.length, bytes.toString('latin1', 0, 6)]).toEqual([43, 'GIF89a']);
});

test('a link redirects to its URL, and tells that site nothing', async () => {
  const response = await t.request(link);
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe(target);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('x-robots-tag')).toBe('noindex');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('it answers while Postgres and Redis are down', async () => {
  for (let count = 0; count < 200; count += 1) expect((await t.request(link)).status).toBe(302);
});

test('while Postgres is down, a proxy gets no answer about a certificate', async () => {
  expect((await t.request('/tls-check?domain=links.acme.example')).status).toBe(404);
  await t.close();
  t = await openTestTracking({ config, log }, tracked);
  expect((await t.request('/tls-check?domain=links.acme.example')).status).toBe(503);
  expect((await t.request('/tls-check?domain=links.%00acme.example')).status).toBe(404);
  expect((await t.request('/tls-check?domain=links.example')).status).toBe(200);
});

test('HEAD gets the same headers', async () => {
  const response = await t.request(link, { method: 'HEAD' });
  expect([response.status, response.headers.get('location')]).toEqual([302, target]);
  expect((await t.request(image, { method: 'HEAD' })).headers.get('content-length')).toBe('43');
});

test('a query that a proxy adds does not matter', async () => {
  expect((await t.request(`${link}?utm_source=x`)).headers.get('location')).toBe(target);
});

test.each([
  ['a changed token', `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`],
  [
    'a token of another key',
    `/c/${createTrackingTokenMaker({ secretKey: 'another' })({ emailId, position: 0, url: target })}`,
  ],
  ['a URL instead of a token', '/c/https://evil.example/'],
  ['a URL in the query', '/c/?url=https://evil.example/'],
  ['the token of a link as an image', link.replace('/c/', '/o/')],
  ['the token of an image as a link', image.replace('/o/', '/c/')],
  ['another path', '/'],
])('%s gets a 404 and no redirect', async (_, path) => {
  const response = await t.request(path);
  expect([response.status, response.headers.get('location')]).toEqual([404, null]);
});

test('other methods are refused', async () => {
  const response = await t.request(link, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('/healthz says that it runs', async () => {
  expect((await t.request('/healthz')).status).toBe(200);
});

test('its metrics count responses, and show the opens and clicks that Postgres does not have yet', async () => {
  await t.close();
  t = await openTestTracking({ config, log });
  await t.request(link);
  await t.request('/c/unknown');
  const text = await t.registry.metrics();
  expect(text).toContain('posthorn_tracking_responses_total{status="302"} 1\n');
  expect(text).toContain('posthorn_tracking_responses_total{status="404"} 1\n');
  expect(text).toContain('posthorn_hits_waiting 1\n');
  expect(text).toContain('posthorn_postgres_state{state="unreachable"} 1\n');
  expect(text).toContain('posthorn_redis_state{condition="reachable"} 0\n');
});
