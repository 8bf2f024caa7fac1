import { type Fault, first, type RawSmtpServer, say, sayAndCut, silence, startRawSmtpServer } from '@posthorn/testing';
import { openCircuitBreaker } from '../src/smtp/circuit-breaker.js';
import { openPool } from '../src/smtp/pool.js';
import { toRelay } from '../src/smtp/relay.js';
import { openRelays, type Relays } from '../src/smtp/relays.js';

let server: RawSmtpServer;
let relays: Relays;
let fault: Fault;
let logged: Array<{ event: string; fields: object }>;

beforeEach(async () => {
  fault = () => undefined;
  logged = [];
  const record = (fields: object, event: string) => void logged.push({ event, fields });
  server = await startRawSmtpServer((...at) => fault(...at));
  relays = openRelays([server.url], { debug: record, info: record, warn: record, error: record });
});

afterEach(async () => {
  relays.close();
  await server.close();
});

const OUTGOING = {
  envelope: { from: 'me@example.com', to: ['jane@example.com'] },
  message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
  mayStart: () => true,
};

const send = () => relays.send(OUTGOING);
const ignore = () => {};

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

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
    early.reply('421 4.3.2 Closing');
    expect(await early.sending).toMatchObject({ end: 'no_route' });
    await new Promise((resolve) => setTimeout(resolve, relays.pauseSeconds() * 1_000 + 50));
    expect(relays.areAvailable()).toBe(false);
    probe.reply('250 OK');
    await probe.sending;
    expect(relays.areAvailable()).toBe(true);
  });

  test('is probed with another message when the first probe hangs', async () => {
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const breaker = openCircuitBreaker(openPool(toRelay(server.url)), log, { singleProbeMs: 200 });
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
    expect(await held).toMatchObject({ end: 'broken' });
    breaker.close();
  });

  test('is logged with phase and code, without the reply text', async () => {
    fault = first('MAIL', sayAndCut('421 4.7.0 Not for jane@example.com'));
    await send();
    expect(logged[0]).toMatchObject({ event: 'relay_failed', fields: { phase: 'envelope', code: '421' } });
    await server.close();
    await until(relays.areAvailable);
    await send();
    expect(logged[1]).toMatchObject({ event: 'relay_failed', fields: { phase: 'connect', code: 'ECONNREFUSED' } });
    expect(JSON.stringify(logged)).not.toContain('jane');
  });
});
