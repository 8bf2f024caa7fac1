import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { operator } from '@posthorn/domain/audit-log';
import { updateDomain } from '@posthorn/domain/domains';
import { findStoredMessage } from '@posthorn/domain/emails';
import { eraseNextBatch, requestErasure } from '@posthorn/domain/erasure';
import { parseAddress } from '@posthorn/domain/format';
import { createTemplateCache } from '@posthorn/domain/templates';
import { recordOpensAndClicks } from '@posthorn/domain/tracking';
import { buildWholeMessage, createMessageMemory, findSenderKey, readParts } from '@posthorn/message';
import type { SmtpSinkOptions } from '@posthorn/testing';
import { openTestTracking, type TestTracking } from '../../apps/tracking/test/open-test-tracking.js';
import { openTrackingWorker, pathsIn, TRACKING_URL, type TrackingWorker } from './open-tracking-worker.js';

const HTML = '<html><body><p>Hi</p><a href="https://shop.example/sale?a=1&amp;b=2">Sale</a></body></html>';
const SALE = 'https://shop.example/sale?a=1&b=2';

let t: TrackingWorker;
let tracking: TestTracking;

let reply: SmtpSinkOptions['reply'];

beforeEach(async () => {
  reply = () => undefined;
  t = await openTrackingWorker({ sink: { reply: (...args) => reply?.(...args) } });
  tracking = await openTestTracking(t.ctx);
});

afterEach(async () => {
  await tracking.close();
  await t.close();
});

test('the pixel and the links of a received email record opens and clicks', async () => {
  const { id, html } = await t.send(HTML);
  await t.age(id, 60);
  const { image, links } = pathsIn(html);
  expect((await tracking.request(image)).status).toBe(200);
  const clicked = await tracking.request(links[0] ?? '');
  expect([clicked.status, clicked.headers.get('location')]).toEqual([302, SALE]);
  const hits = await t.hits(id, 2);
  expect(hits).toMatchObject([
    { type: 'email.opened', recipient: 'jane@example.com', data: { machine: false }, sequence: 3, mode: 'live' },
    { type: 'email.clicked', recipient: 'jane@example.com', data: { machine: false, url: SALE }, sequence: 4 },
  ]);
  const { status, events } = await t.read(id);
  expect(status).toBe('sent');
  expect(events.map(({ type, detail }) => [type, detail])).toEqual([
    ['accepted', null],
    ['sent', expect.any(String)],
    ['opened', null],
    ['clicked', SALE],
  ]);
});

test('a link works with what programs add to it', async () => {
  const { html } = await t.send(HTML);
  const [link = ''] = pathsIn(html).links;
  for (const changed of ['?utm_source=x', '/', '.', ')', '%3E', '%22', '%20', '&x=1', '='].map((end) => link + end))
    expect((await tracking.request(changed)).status).toBe(302);
  expect((await tracking.request(link.replaceAll('-', '%2D'))).status).toBe(302);
});

test('everything but the links and the image is sent as it was', async () => {
  const { html } = await t.send(HTML);
  const { image, links } = pathsIn(html);
  const tag = `<img src="${TRACKING_URL}${image}" width="1" height="1" alt="" style="border:0">`;
  const restored = html.replace(tag, '').replace(`${TRACKING_URL}${links[0]}`, 'https://shop.example/sale?a=1&amp;b=2');
  expect(restored.trimEnd()).toBe(HTML);
});

test('the message is the same on every attempt, even if the settings of the domain change in between', async () => {
  const refusals = new Set(['late@example.com']);
  reply = (command, address) =>
    command === 'RCPT' && refusals.delete(address) ? { code: 450, text: '4.2.0 Later' } : undefined;
  const id = await t.accept({
    from: parseAddress('Shop <hello@shop.example>'),
    to: ['jane@example.com', 'late@example.com'],
    content: { kind: 'raw', subject: 'Hello', html: HTML, text: 'Hi' },
  });
  await t.sink.waitFor(1);
  await t.ctx.db('sending_domains').update({ track_opens: false, track_clicks: false });
  await t.until(id, 'sent');
  const [first, second] = await t.sink.waitFor(2);
  expect([first?.envelope.to, second?.envelope.to]).toEqual([['jane@example.com'], ['late@example.com']]);
  expect(first?.parsed.html).toContain(TRACKING_URL);
  expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
});

test('the message that the API shows is the one that was sent', async () => {
  const { id } = await t.send(HTML);
  const stored = await findStoredMessage(t.ctx.db, t.workspaceId, id);
  if (!stored) throw new Error('The email is not stored');
  const ctx = { ...t.ctx, templates: createTemplateCache(), messageMemory: createMessageMemory() };
  const read = await readParts(ctx, stored);
  const found = await findSenderKey({ ...ctx, signingKeys: new Map() }, stored);
  if (!('parts' in read && 'key' in found)) throw new Error('The message cannot be built');
  const shown = await buildWholeMessage({ ...read, ...found, attachments: [], contents: [] });
  expect(t.sink.messages[0]?.raw.equals(shown)).toBe(true);
});

test('a scanner that comes within 10 seconds is a machine, and does not hide the person who comes later', async () => {
  const { id, html } = await t.send(HTML);
  const [link = ''] = pathsIn(html).links;
  await tracking.request(link);
  expect(await t.hits(id, 1)).toMatchObject([{ data: { machine: true }, detail: `${SALE} (probably automated)` }]);
  await t.age(id, 30);
  await tracking.request(link);
  expect(await t.hits(id, 2)).toMatchObject([{ data: { machine: true } }, { data: { machine: false } }]);
});

test('HEAD is neither an open nor a click', async () => {
  const { id, html } = await t.send(HTML);
  await t.age(id, 60);
  const { image, links } = pathsIn(html);
  for (const path of [image, links[0] ?? '']) await tracking.request(path, { method: 'HEAD' });
  await tracking.request(image);
  expect(await t.hits(id, 1)).toHaveLength(1);
});

test('repeated opens are recorded once per hour, and repeated clicks once per minute and link', async () => {
  const { id, html } = await t.send('<a href="https://a.example/">a</a><a href="https://b.example/">b</a>');
  const { image, links } = pathsIn(html);
  const all = [image, ...links];
  const requestAll = () => Promise.all([...all, ...all, ...all].map((path) => tracking.request(path)));
  await t.age(id, 60);
  await requestAll();
  expect(await t.hits(id, 3)).toHaveLength(3);
  await t.age(id, 61);
  await requestAll();
  expect((await t.hits(id, 5)).map(({ type }) => type).toSorted()).toEqual([
    ...Array<string>(4).fill('email.clicked'),
    'email.opened',
  ]);
  await t.age(id, 3_601);
  await tracking.request(image);
  const hits = await t.hits(id, 6);
  expect(hits.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6, 7, 8]);
});

test('an email with several recipients does not say who opened it', async () => {
  const { id, html } = await t.send(HTML, { to: ['a@example.com'], bcc: ['b@example.com'] });
  await tracking.request(pathsIn(html).image);
  expect(await t.hits(id, 1)).toMatchObject([{ type: 'email.opened', recipient: null }]);
});

test('hits do not disturb the events of an email that is still being delivered', async () => {
  const from = parseAddress('hello@shop.example');
  const scheduledAt = new Date(Date.now() + 3_600_000);
  const id = await t.accept({ from, scheduledAt, content: { kind: 'raw', subject: 'Hi', html: HTML, text: null } });
  const hit = { emailId: id, position: 0, at: new Date(), isMachine: false };
  const urls = Array.from({ length: 10 }, (_, index) => `https://shop.example/${index}`);
  const deliver = t.ctx.db('deliveries').where({ email_id: id }).update({ due_at: new Date(), is_due: true });
  await Promise.all([deliver, ...urls.map((url) => recordOpensAndClicks(t.ctx, [{ ...hit, url }]))]);
  await t.until(id, 'sent');
  const { events } = await t.read(id);
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
});

test('test mail records events too', async () => {
  const from = parseAddress('hello@shop.example');
  const content = { kind: 'raw', subject: 'Hi', html: HTML, text: null } as const;
  const id = await t.acceptTest({ from, content });
  await t.until(id, 'sent');
  await recordOpensAndClicks(t.ctx, [{ emailId: id, position: 0, url: null, at: new Date(), isMachine: false }]);
  expect(await t.hits(id, 1)).toMatchObject([{ type: 'email.opened', mode: 'test' }]);
});

test('what is tracked is decided when the email is accepted', async () => {
  const from = parseAddress('hello@shop.example');
  const scheduledAt = new Date(Date.now() + 3_600_000);
  const id = await t.accept({ from, scheduledAt, content: { kind: 'raw', subject: 'Hi', html: HTML, text: null } });
  const domain = { workspaceId: t.workspaceId, id: t.domainId };
  await updateDomain(t.ctx, operator, domain, { trackOpens: false, trackClicks: false });
  await t.ctx.db('deliveries').where({ email_id: id }).update({ due_at: new Date(), is_due: true });
  const [first] = await t.sink.waitFor(1);
  expect(pathsIn(first?.parsed.html ?? '').links).toHaveLength(1);
  const { id: later, html } = await t.send(HTML);
  expect(html.trimEnd()).toBe(HTML);
  const stored = async (emailId: string) => (await findStoredMessage(t.ctx.db, t.workspaceId, emailId))?.tracking;
  expect(await stored(id)).toEqual({ opens: true, clicks: true, url: TRACKING_URL, position: 0 });
  expect(await stored(later)).toBeNull();
  const needs = await t.ctx.db('emails').whereNotNull('tracking').pluck('id');
  expect(needs).toEqual([id]);
});

test('nothing is recorded about a recipient who was erased, and the clicked URLs are deleted', async () => {
  const { id, html } = await t.send(HTML);
  const { image, links } = pathsIn(html);
  await tracking.request(links[0] ?? '');
  await t.hits(id, 1);
  await requestErasure(t.ctx, operator, { workspaceId: t.workspaceId, address: 'jane@example.com' });
  for (let round = 0; round < 20; round += 1) {
    await t.ctx
      .db('erasures')
      .whereNotNull('due_at')
      .update({ due_at: new Date(0) });
    await eraseNextBatch(t.ctx, { lateResponseSeconds: 0 });
  }
  await t.age(id, 60);
  await tracking.request(image);
  const other = await t.send(HTML);
  await tracking.request(pathsIn(other.html).image);
  await t.hits(other.id, 1);
  const [clicked, ...more] = await t.hits(id, 1);
  expect(clicked).toMatchObject({ type: 'email.clicked', data: { machine: true }, detail: null });
  expect(clicked?.data).not.toHaveProperty('url');
  expect(more).toEqual([]);
});

test('clicks while Postgres is down redirect at once and are recorded later', async () => {
  const { id, html } = await t.send(HTML);
  const database = new URL(t.ctx.config.databaseUrl);
  let isUp = false;
  const proxy = createServer((client) => {
    client.on('error', () => {});
    if (!isUp) return client.destroy();
    const server = connect(Number(database.port), database.hostname).on('error', () => client.destroy());
    return client.pipe(server).pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const through = new URL(database);
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const cut = await openTestTracking(t.ctx, { databaseUrl: through.href });
  const clicked = await cut.request(pathsIn(html).links[0] ?? '');
  expect([clicked.status, clicked.headers.get('location')]).toEqual([302, SALE]);
  isUp = true;
  expect(await t.hits(id, 1)).toMatchObject([{ type: 'email.clicked' }]);
  await cut.close();
  proxy.close();
});
