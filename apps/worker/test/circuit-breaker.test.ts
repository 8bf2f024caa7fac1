import { setTimeout as sleep } from 'node:timers/promises';
import {
  always,
  cut,
  type Fault,
  first,
  type Moment,
  type RawSmtpServer,
  type Reaction,
  say,
  sayAndCut,
  silence,
  startRawSmtpServer,
  until,
} from '@posthorn/testing';
import { openCircuitBreaker } from '../src/smtp/circuit-breaker.js';
import { openPool, toServer } from '../src/smtp/pool.js';
import type { OutgoingMessage } from '../src/smtp/send-message.js';
import { defaultTimeouts } from './default-timeouts.js';
import { openTestRelays, type TestRelays, toTestRelay } from './test-relays.js';
import { warningLog } from './warning-log.js';

const CHECK_SENDER = 'check@bounces.example.com';

let server: RawSmtpServer;
let relays: TestRelays;
let fault: Fault;
let logged: Array<{ event: string; fields: object }>;

beforeEach(async () => {
  fault = () => undefined;
  logged = [];
  const record = (fields: object, event: string) => void logged.push({ event, fields });
  server = await startRawSmtpServer((...at) => fault(...at));
  relays = openTestRelays(
    { smtpUrls: [server.url], checkSender: CHECK_SENDER, timeouts: defaultTimeouts },
    { debug() {}, info: record, warn: record, error: record },
  );
});

afterEach(async () => {
  relays.close();
  await server.close();
});

const OUTGOING = {
  workspaceId: 'acme',
  envelope: { from: 'me@example.com', to: ['jane@example.com'] },
  message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
  mayStart: () => true,
};

const send = (more: Partial<OutgoingMessage> = {}) => relays.send({ ...OUTGOING, ...more });
const sendFrom = (workspaceId: string, to = ['jane@example.com']) =>
  send({ workspaceId, envelope: { from: `me@${workspaceId}.example`, to } });
const checks = () => server.mails.filter((sender) => sender === CHECK_SENDER).length;

/** Sends a message whose MAIL gets no reply until `reply` is called. */
async function sendHeld() {
  let reply: ((text: string) => void) | undefined;
  fault = first('MAIL', (socket) => {
    reply = (text) => say(text)(socket);
  });
  const sending = send();
  await until(() => reply !== undefined);
  return { sending, reply: reply as unknown as (text: string) => void };
}

describe('a relay that failed', () => {
  test('is probed with one message, then used for all', async () => {
    fault = first('CONNECT', say('554 Not today'));
    expect(await send()).toMatchObject({ end: 'no_route' });
    expect(relays.areAvailable()).toBe(false);
    await until(relays.areAvailable);

    const probe = await sendHeld();
    expect(relays.areAvailable()).toBe(false);
    expect(await send()).toMatchObject({ end: 'no_route' });
    expect(server.connections()).toBe(2);
    probe.reply('250 OK');
    expect(await probe.sending).toMatchObject({ end: 'completed' });

    expect(relays.areAvailable()).toBe(true);
    const ends = await Promise.all(Array.from({ length: 5 }, async () => (await send()).end));
    expect(new Set(ends)).toEqual(new Set(['completed']));
    expect(logged.map(({ event }) => event)).toEqual(['relay_failed', 'relay_back']);
  });

  test('is still probed with only one message when a delivery from before the failure finishes', async () => {
    const early = await sendHeld();
    fault = first('CONNECT', say('554 Not today'));
    await send();
    await until(relays.areAvailable);
    const probe = await sendHeld();
    fault = always('CONNECT', say('554 Not today'));
    early.reply('421 4.3.2 Closing');
    expect(await early.sending).toMatchObject({ end: 'no_route' });
    await sleep(relays.pauseSeconds() * 1_000 + 50);
    expect(relays.areAvailable()).toBe(false);
    probe.reply('250 OK');
    await probe.sending;
    expect(relays.areAvailable()).toBe(true);
  });

  test('is probed with another message when the first probe hangs', async () => {
    const log = warningLog();
    const settings = { checkSender: CHECK_SENDER, singleProbeMs: 200 };
    const breaker = openCircuitBreaker(
      'env-1',
      openPool(toServer(toTestRelay(server.url, defaultTimeouts))),
      log,
      settings,
    );
    fault = first('CONNECT', say('554 Not today'));
    await breaker.send(OUTGOING);
    await until(breaker.isAvailable);
    fault = first('MAIL', silence);
    const held = breaker.send(OUTGOING);
    expect(breaker.isAvailable()).toBe(false);
    await until(breaker.isAvailable);
    expect(await breaker.send(OUTGOING)).toMatchObject({ end: 'completed' });
    expect(breaker.isAvailable()).toBe(true);
    await server.close();
    expect(await held).toMatchObject({ end: 'route_fault' });
    breaker.close();
  });

  test('is logged with the phase and the code, but without the reply text', async () => {
    fault = always('MAIL', sayAndCut('421 4.7.0 Not for jane@example.com'));
    await send();
    expect(logged[0]).toMatchObject({ event: 'relay_failed', fields: { phase: 'envelope', code: '421' } });
    await server.close();
    await until(relays.areAvailable);
    await send();
    expect(logged[1]).toMatchObject({ event: 'relay_failed', fields: { phase: 'connect', code: 'ECONNREFUSED' } });
    expect(JSON.stringify(logged)).not.toContain('jane');
  });
});

describe('a relay that ends the session of one transaction', () => {
  const refusals: Array<[string, Fault]> = [
    ['421 to every MAIL', always('MAIL', sayAndCut('421 4.3.2 Closing'))],
    ['530 to every MAIL', always('MAIL', say('530 5.7.0 Authentication required'))],
    ['452 to every MAIL', always('MAIL', say('452 4.3.1 Disk full'))],
    ['no reply to any MAIL and closes the connection', always('MAIL', cut)],
  ];

  test.each(refusals)('is paused if it sends %s, because it fails the check too', async (_title, refusal) => {
    fault = refusal;
    expect(await send()).toMatchObject({ end: 'no_route', phase: 'envelope' });
    expect(relays.areAvailable()).toBe(false);
    expect(checks()).toBe(1);
    fault = () => undefined;
    await until(relays.areAvailable);
    expect(await send()).toMatchObject({ end: 'completed' });
  });

  const atMail = (moment: Moment, from: string, reaction: Reaction) =>
    moment === 'MAIL' && from === 'me@a.example' ? reaction : undefined;
  const atRcpt = (moment: Moment, to: readonly string[], reaction: Reaction) =>
    moment === 'RCPT' && to.includes('refused@example.com') ? reaction : undefined;
  const causedByOne: Array<[string, Fault]> = [
    ['421 to one sender', (moment, _to, from) => atMail(moment, from, sayAndCut('421 4.7.0 Not from you'))],
    ['530 to one sender', (moment, _to, from) => atMail(moment, from, say('530 5.7.0 Not from you'))],
    ['450 to one sender', (moment, _to, from) => atMail(moment, from, say('450 4.7.1 Too much mail from you'))],
    ['530 to one recipient', (moment, to) => atRcpt(moment, to, say('530 5.7.0 Not to them'))],
    ['421 to one recipient', (moment, to) => atRcpt(moment, to, sayAndCut('421 4.7.0 Not to them'))],
    ['no reply to one recipient and closes the connection', (moment, to) => atRcpt(moment, to, cut)],
  ];

  test.each(causedByOne)('stays in use for others if it sends %s', async (_title, refusal) => {
    fault = refusal;
    const refused = await sendFrom('a', ['refused@example.com']);
    expect(refused.end).not.toBe('no_route');
    expect(relays.areAvailable()).toBe(true);
    expect(await sendFrom('b')).toMatchObject({ end: 'completed' });
    expect(server.messages.map(({ from }) => from)).toEqual(['me@b.example']);
    expect(logged).toEqual([]);
  });

  test('is checked once, however many emails of one tenant it refuses', async () => {
    fault = causedByOne[0]?.[1] as Fault;
    await Promise.all(Array.from({ length: 20 }, () => sendFrom('a')));
    for (let sent = 0; sent < 10; sent += 1) await sendFrom('a');
    expect(checks()).toBe(1);
    expect(relays.areAvailable()).toBe(true);
  });

  test('is paused if the transactions of three workspaces fail in a row after MAIL', async () => {
    fault = always('RCPT', sayAndCut('421 4.3.2 Closing'));
    await sendFrom('a');
    await sendFrom('a');
    await sendFrom('b');
    expect(relays.areAvailable()).toBe(true);
    expect(await sendFrom('c')).toMatchObject({ end: 'completed', route: expect.any(String) });
    expect(relays.areAvailable()).toBe(false);
    expect(logged).toMatchObject([{ event: 'relay_failed', fields: { phase: 'envelope', code: '421' } }]);
  });

  test('is not paused again by just one of these workspaces', async () => {
    fault = always('RCPT', sayAndCut('421 4.3.2 Closing'));
    for (const workspaceId of ['a', 'b', 'c']) await sendFrom(workspaceId);
    for (let sent = 0; sent < 3; sent += 1) {
      await until(relays.areAvailable);
      await sendFrom('a');
    }
    expect(relays.areAvailable()).toBe(true);
    expect(logged.map(({ event }) => event)).toEqual(['relay_failed', 'relay_back']);
    for (const workspaceId of ['b', 'c']) await sendFrom(workspaceId);
    expect(relays.areAvailable()).toBe(false);
  });

  test('is not paused if the transactions of three workspaces fail far apart in time', async () => {
    const log = warningLog();
    const settings = { checkSender: CHECK_SENDER, failingWorkspaceMs: 0 };
    const breaker = openCircuitBreaker(
      'env-1',
      openPool(toServer(toTestRelay(server.url, defaultTimeouts))),
      log,
      settings,
    );
    fault = always('RCPT', cut);
    for (const workspaceId of ['a', 'b', 'c', 'd']) await breaker.send({ ...OUTGOING, workspaceId });
    expect(breaker.isAvailable()).toBe(true);
    breaker.close();
  });

  test('is not paused if another transaction succeeds in between', async () => {
    const refusal = always('RCPT', cut);
    for (const workspaceId of ['a', 'b', 'c', 'd']) {
      fault = refusal;
      await sendFrom(workspaceId);
      fault = () => undefined;
      await sendFrom('e');
    }
    expect(relays.areAvailable()).toBe(true);
  });

  test('stays in use although it refuses the senders of three workspaces', async () => {
    fault = (moment, _to, from) =>
      moment === 'MAIL' && from !== CHECK_SENDER ? say('450 4.7.1 Not from you') : undefined;
    for (const workspaceId of ['a', 'b', 'c', 'd']) await sendFrom(workspaceId);
    expect(relays.areAvailable()).toBe(true);
  });

  test('is used for all mail again if it refuses the sender of its probe but passes the check', async () => {
    fault = first('CONNECT', say('554 Not today'));
    await send();
    await until(relays.areAvailable);
    fault = causedByOne[0]?.[1] as Fault;
    expect(await sendFrom('a')).toMatchObject({ end: 'completed' });
    expect(logged.map(({ event }) => event)).toEqual(['relay_failed', 'relay_back']);
    expect(await sendFrom('b')).toMatchObject({ end: 'completed' });
  });

  test('after the final dot is paused if it fails the check, and the transaction stays ambiguous', async () => {
    fault = always('DOT', (socket) => {
      fault = always('CONNECT', say('554 Not today'));
      cut(socket);
    });
    expect(await send()).toMatchObject({ end: 'ambiguous' });
    expect(relays.areAvailable()).toBe(false);
  });
});
