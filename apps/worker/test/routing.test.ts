import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { explainEmail } from '@posthorn/domain/emails';
import {
  addRelay,
  addRoute,
  type RelayChange,
  type Route,
  readRoutingVersion,
  removeRelay,
  setRelayPaused,
  updateRelay,
} from '@posthorn/domain/relays';
import { always, cut, type Fault, type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

type Server = RawSmtpServer & { fault: Fault };

let t: TestWorker;
let a: Server;
let b: Server;

async function startServer(): Promise<Server> {
  const raw = await startRawSmtpServer((...at) => started.fault(...at));
  const started = { ...raw, fault: (() => undefined) as Fault };
  return started;
}

beforeEach(async () => {
  [a, b] = [await startServer(), await startServer()];
  t = await openTestWorker({ started: false });
});

afterEach(async () => {
  await t.close();
  await Promise.all([a.close(), b.close()]);
});

const relay = (name: string, { url }: Server, more: RelayChange = {}) =>
  addRelay(t.ctx, operator, { name, url, ...more });

function route(via: string, more: Partial<Route> = {}): Promise<Route> {
  const names = via.split(',').map((name) => ({ relay: name, weight: 1 }));
  const match = { workspaceId: null, domain: null, recipientDomain: null, tag: null, priority: null };
  return addRoute(t.ctx, operator, { via: names, fallback: [], order: 100, ...match, ...more });
}

/** Longer than a worker may take to follow a change of routes. */
const FOLLOWED_MS = 2_000;

const recipients = ({ messages }: RawSmtpServer) => messages.flatMap(({ to }) => to).toSorted();
const explain = async (id: string) => explainEmail(await t.read(id), new Date());

async function untilHeldBack(count = 1): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1, await sleep(50)) {
    if ((await t.ctx.db('deliveries').whereNotNull('waits_for')).length === count) return;
  }
  throw new Error('The emails were not held back');
}

describe('a route', () => {
  test('decides by which relay mail goes, and other mail takes the default', async () => {
    await relay('a', a);
    await route('a', { recipientDomain: 'example.com' });
    t.start();
    const [one, two] = [await t.accept(), await t.accept({ to: ['joe@example.org'] })];
    expect((await t.until(one, 'sent')).attempts).toMatchObject([{ route: 'a' }]);
    expect((await t.until(two, 'sent')).attempts).toMatchObject([{ route: 'env-1' }]);
    expect(recipients(a)).toEqual(['jane@example.com']);
  });

  test('sends the recipients of one email apart', async () => {
    await relay('a', a);
    await relay('b', b);
    await route('a', { recipientDomain: 'example.com' });
    await route('b', { recipientDomain: 'example.net' });
    b.fault = always('RCPT', say('550 5.1.1 No such user'));
    t.start();
    const id = await t.accept({ to: ['jane@example.com', 'joe@example.net', 'jim@example.com'] });
    const email = await t.until(id, 'sent');
    expect(email.recipients.map(({ status }) => status)).toEqual(['sent', 'bounced', 'sent']);
    expect(email.attempts).toMatchObject([{ outcome: 'partial', route: 'a, b' }]);
    expect(email.attempts[0]?.conversation).toEqual(expect.arrayContaining(['-- a', '-- b']));
    expect(recipients(a)).toEqual(['jane@example.com', 'jim@example.com']);
  });

  test('added later moves mail that waits', async () => {
    await relay('a', a);
    const paused = await route('a');
    await setRelayPaused(t.ctx, operator, 'a', true);
    t.start();
    const id = await t.accept();
    await untilHeldBack();
    expect(await explain(id)).toContain(`there is no relay left in route ${paused.id}`);
    expect((await t.read(id)).status).toBe('queued');
    await relay('b', b);
    await route('b', { order: 1 });
    const { attempts } = await t.until(id, 'sent');
    expect(attempts).toMatchObject([{ route: 'b' }]);
  });

  test('moves mail that a worker held back by the routes before it, however late that was recorded', async () => {
    await relay('a', a);
    const paused = await route('a');
    await setRelayPaused(t.ctx, operator, 'a', true);
    const id = await t.accept();
    const version = await readRoutingVersion(t.ctx.db);
    await relay('b', b);
    await route('b', { order: 1 });
    t.start();
    // This worker knows the new route when another one records what it decided by the old ones.
    await t.until(await t.accept(), 'sent');
    const late = await t.accept({ scheduledAt: new Date(Date.now() + 60_000) });
    await t.ctx
      .db('deliveries')
      .where({ email_id: late })
      .update({ is_due: true, waits_for: `no-relay:${paused.id}@${version}` });
    for (const each of [id, late]) await t.until(each, 'sent');
    expect(b.messages).toHaveLength(3);
  });

  test('follows when all others are out, and a relay comes back by itself', async () => {
    await relay('a', a);
    await relay('b', b);
    await route('a', { fallback: ['b'] });
    a.fault = always('CONNECT', say('421 4.3.2 Shutting down'));
    t.start();
    await t.until(await t.accept(), 'sent');
    expect([a.messages.length, b.messages.length]).toEqual([0, 1]);
    a.fault = () => undefined;
    await sleep(FOLLOWED_MS);
    await t.until(await t.accept(), 'sent');
    expect([a.messages.length, b.messages.length]).toEqual([1, 1]);
  });

  test('without relays that work does not hold up other mail', async () => {
    await relay('a', a);
    await route('a', { recipientDomain: 'example.com' });
    a.fault = always('CONNECT', cut);
    t.start({ workerConcurrency: 2 });
    const stuck = await Promise.all(Array.from({ length: 20 }, () => t.accept()));
    t.announce(stuck);
    const others = await Promise.all(Array.from({ length: 20 }, () => t.accept({ to: ['joe@example.org'] })));
    for (const id of others) await t.until(id, 'sent');
    expect(t.sink.messages).toHaveLength(20);
    a.fault = () => undefined;
    for (const id of stuck) await t.until(id, 'sent');
    expect(recipients(a)).toHaveLength(20);
  });
});

test('a relay that is paused finishes what it has in hand, and the others get the rest, each once', async () => {
  await relay('a', a);
  await relay('b', b);
  await route('a', { fallback: ['b'] });
  a.fault = (moment) =>
    moment === 'DOT' ? (socket) => void setTimeout(() => socket.write('250 OK\r\n'), 300) : undefined;
  t.start();
  const ids = await Promise.all(Array.from({ length: 100 }, () => t.accept()));
  t.announce(ids);
  while (a.messages.length < 5) await sleep(10);
  await setRelayPaused(t.ctx, operator, 'a', true);
  for (const id of ids) await t.until(id, 'sent');
  const messageIds = [a, b].flatMap(({ messages }) => messages.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]));
  expect(messageIds).toHaveLength(100);
  expect(new Set(messageIds).size).toBe(100);
  expect(b.messages.length).toBeGreaterThan(0);
});

describe('a removed relay', () => {
  test('leaves its mail to what is there under its name', async () => {
    await relay('a', a);
    await route('a');
    await setRelayPaused(t.ctx, operator, 'a', true);
    t.start();
    const ids = await Promise.all(Array.from({ length: 10 }, () => t.accept()));
    await untilHeldBack(10);
    await removeRelay(t.ctx, operator, 'a');
    await relay('a', b);
    for (const id of ids) await t.until(id, 'sent');
    expect([a.messages.length, b.messages.length]).toEqual([0, 10]);
  });

  test('keeps mail that it may have', async () => {
    await relay('a', a);
    await relay('b', b);
    await route('a', { fallback: ['b'] });
    a.fault = always('DOT', cut);
    t.start({ retryScheduleSeconds: [1, 1, 1, 1] });
    const id = await t.accept();
    await t.until(id, 'deferred');
    await removeRelay(t.ctx, operator, 'a');
    await untilHeldBack();
    expect(await explain(id)).toContain('which may have the message already');
    expect(b.messages).toHaveLength(0);
  });
});

test('mail that a relay may have stays with it, also when the route changes', async () => {
  const { id: relayId } = await relay('a', a);
  await relay('b', b);
  await route('a', { fallback: ['b'] });
  a.fault = always('DOT', cut);
  t.start({ retryScheduleSeconds: [3, 1, 1, 1] });
  const id = await t.accept();
  await t.until(id, 'deferred');
  expect((await t.ctx.db('deliveries').where({ email_id: id }).first()).stays_with).toEqual({ 0: relayId });
  await route('b', { order: 1 });
  a.fault = () => undefined;
  const { attempts } = await t.until(id, 'sent');
  expect(attempts.map(({ route: used }) => used)).toEqual(['a', 'a']);
  expect(b.messages).toHaveLength(0);
});

describe('a limit', () => {
  test('of recipients over time holds over all workers, and saves nothing up', async () => {
    await relay('a', a, { rate: { recipients: 5, seconds: 1 } });
    await route('a');
    for (let workers = 0; workers < 3; workers += 1) t.start();
    await sleep(FOLLOWED_MS);
    const from = performance.now();
    const ids = await Promise.all(
      Array.from({ length: 12 }, () => t.accept({ to: ['jane@example.com', 'joe@example.com'] })),
    );
    t.announce(ids);
    for (const id of ids) await t.until(id, 'sent');
    // The first of 24 recipients needs no turn.
    expect(performance.now() - from).toBeGreaterThan(((24 - 2) / 5) * 1_000);
    expect(a.messages).toHaveLength(12);
  });

  test('of a warm-up lets the rest wait until tomorrow', async () => {
    const { id: relayId } = await relay('a', a, { warmUp: [3, 100] });
    await relay('b', b);
    await route('a', { fallback: ['b'] });
    t.start();
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await t.accept());
    await untilHeldBack(2);
    while (a.messages.length < 3) await sleep(10);
    expect([a.messages.length, b.messages.length]).toEqual([3, 0]);
    const waiting = await t.ctx.db('deliveries').whereNotNull('waits_for').first('email_id');
    expect(await explain(waiting.email_id)).toMatch(/^Waiting until .* 00:00 UTC: relay a has tried as many/);
    await t.ctx.db('relay_days').where({ relay_id: relayId }).update({ day: '2026-01-01' });
    for (const id of ids) await t.until(id, 'sent');
    expect(a.messages).toHaveLength(5);
  });

  test('of connections holds over all workers', async () => {
    let [open, most] = [0, 0];
    a.fault = (moment) => {
      if (moment === 'DATA') {
        open += 1;
        most = Math.max(most, open);
        setTimeout(() => {
          open -= 1;
        }, 40);
      }
      return undefined;
    };
    await relay('a', a, { connections: 2 });
    await route('a');
    for (let workers = 0; workers < 3; workers += 1) t.start();
    await sleep(FOLLOWED_MS);
    const ids = await Promise.all(Array.from({ length: 40 }, () => t.accept()));
    t.announce(ids);
    for (const id of ids) await t.until(id, 'sent');
    expect(a.connections()).toBeLessThanOrEqual(2 + 3);
    expect(a.messages).toHaveLength(40);
  });

  test('can be changed while mail waits for it', async () => {
    await relay('a', a, { rate: { recipients: 1, seconds: 86_400 } });
    await route('a');
    t.start();
    const ids = [await t.accept(), await t.accept(), await t.accept()];
    await untilHeldBack(2);
    await updateRelay(t.ctx, operator, 'a', { rate: null });
    for (const id of ids) await t.until(id, 'sent');
  });
});

test('a relay that says that we send too fast gets less for a while, and the next one gets nothing of it', async () => {
  await relay('a', a);
  await relay('b', b);
  await route('a', { fallback: ['b'] });
  let tries = 0;
  a.fault = (moment) => {
    tries += Number(moment === 'DOT');
    return moment === 'DOT' && tries <= 2 ? say('454 Throttling failure: Maximum sending rate exceeded.') : undefined;
  };
  t.start();
  const ids = [await t.accept()];
  await t.until(ids[0] ?? '', 'deferred');
  for (let count = 0; count < 10; count += 1) ids.push(await t.accept());
  await untilHeldBack(10);
  expect(await explain(ids[1] ?? '')).toBe('Waiting, because relay a asked us to send less for a while.');
  expect(tries).toBe(1);
  for (const id of ids) await t.until(id, 'sent');
  expect([a.messages.length - 2, b.messages.length]).toEqual([11, 0]);
});

test('a relay whose provider reports events gets one recipient at a time, and its ids are kept', async () => {
  const { id: relayId } = await relay('a', a, { feedback: 'sendgrid', feedbackSecret: 'key' });
  await route('a');
  let messages = 0;
  a.fault = (moment) => {
    messages += Number(moment === 'DOT');
    return moment === 'DOT' ? say(`250 Ok: queued as wR7kq1ZTBmVxx2Yd7eQb9${messages}`) : undefined;
  };
  t.start();
  const id = await t.accept({ to: ['jane@example.com', 'joe@example.com'] });
  await t.until(id, 'sent');
  expect(a.messages.map(({ to }) => to.length)).toEqual([1, 1]);
  const rows = await t.ctx.db('email_recipients').where({ email_id: id }).orderBy('position');
  expect(rows).toMatchObject([{ relay_id: relayId }, { relay_id: relayId }]);
  expect(rows.map(({ provider_id: providerId }) => providerId).toSorted()).toEqual(
    [1, 2].map((number) => `wR7kq1ZTBmVxx2Yd7eQb9${number}`),
  );
  const keys = a.messages.map(({ raw }) => /"([0-9a-f]{32}\.[01])"/.exec(raw)?.[1]).toSorted();
  expect(keys).toEqual([0, 1].map((position) => `${id.replaceAll('-', '')}.${position}`));
});
