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
  const note = (fields: object, event: string) => void logged.push({ event, fields });
  server = await startRawSmtpServer((moment, to) => fault(moment, to));
  relays = openRelays([server.url], { debug: note, info: note, warn: note, error: note });
});

afterEach(async () => {
  relays.close();
  await server.close();
});

const JOB = {
  envelope: { from: 'me@example.com', to: ['jane@example.com'] },
  message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
  mayStart: () => true,
};

const send = () => relays.send(JOB);
const ignore = () => {};

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Sends one whose MAIL is answered only when told, and with what. */
async function sendHeld() {
  let answer: ((reply: string) => void) | undefined;
  fault = first('MAIL', (socket) => {
    answer = (reply) => say(reply)(socket);
  });
  const sending = send();
  await until(() => answer !== undefined);
  return { sending, answer: answer as unknown as (reply: string) => void };
}

describe('a relay that failed', () => {
  test('is tried by one message first, then by all', async () => {
    fault = first('CONNECT', say('554 Not today'));
    expect(await send()).toMatchObject({ end: 'no_route' });
    expect(relays.areOpen()).toBe(false);
    await until(relays.areOpen);

    const probe = await sendHeld();
    expect(relays.areOpen()).toBe(false);
    expect(await send()).toMatchObject({ end: 'no_route' });
    expect(server.connections()).toBe(2);
    probe.answer('250 OK');
    expect(await probe.sending).toMatchObject({ end: 'answered' });

    expect(relays.areOpen()).toBe(true);
    const ends = await Promise.all(Array.from({ length: 5 }, async () => (await send()).end));
    expect(new Set(ends)).toEqual(new Set(['answered']));
    expect(logged.map(({ event }) => event)).toEqual(['relay_failed', 'relay_back']);
  });

  test('is still tried by one only when a message from before the failure ends', async () => {
    const early = await sendHeld();
    fault = first('CONNECT', say('554 Not today'));
    await send();
    await until(relays.areOpen);
    const probe = await sendHeld();
    early.answer('421 4.3.2 Closing');
    expect(await early.sending).toMatchObject({ end: 'no_route' });
    await new Promise((resolve) => setTimeout(resolve, relays.pauseSeconds() * 1_000 + 50));
    expect(relays.areOpen()).toBe(false);
    probe.answer('250 OK');
    await probe.sending;
    expect(relays.areOpen()).toBe(true);
  });

  test('is tried by the next message when a tarpit holds the first for long', async () => {
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const circuit = openCircuitBreaker(openPool(toRelay(server.url)), log, { probeAloneMs: 200 });
    fault = first('CONNECT', say('554 Not today'));
    await circuit.send(JOB);
    await until(circuit.mayTry);
    fault = first('MAIL', silence);
    const held = circuit.send(JOB);
    expect(circuit.mayTry()).toBe(false);
    await until(circuit.mayTry);
    expect(await circuit.send(JOB)).toMatchObject({ end: 'answered' });
    expect(circuit.mayTry()).toBe(true);
    await server.close();
    expect(await held).toMatchObject({ end: 'broken' });
    circuit.close();
  });

  test('is logged with phase and code, without the words of the server', async () => {
    fault = first('MAIL', sayAndCut('421 4.7.0 Not for jane@example.com'));
    await send();
    expect(logged[0]).toMatchObject({ event: 'relay_failed', fields: { phase: 'envelope', code: '421' } });
    await server.close();
    await until(relays.areOpen);
    await send();
    expect(logged[1]).toMatchObject({ event: 'relay_failed', fields: { phase: 'connect', code: 'ECONNREFUSED' } });
    expect(JSON.stringify(logged)).not.toContain('jane');
  });
});
