import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  drip,
  type Fault,
  first,
  goOnAfter,
  type RawSmtpServer,
  type Reaction,
  say,
  silence,
  startRawSmtpServer,
} from '@posthorn/testing';
import { openPool, type Pool, toServer } from '../src/smtp/pool.js';
import { defaultTimeouts } from './default-timeouts.js';
import { toTestRelay } from './test-relays.js';

let server: RawSmtpServer;
let pool: Pool;
let fault: Fault;

const SHORT_TIMEOUTS = { ...defaultTimeouts, replyMs: 900, transactionMs: 1_800, rsetAndQuitMs: 100 };
/** More than the socket buffers hold. */
const LARGE = Buffer.from('A line of text.\r\n'.repeat(1_000_000));

const send = (message = Buffer.from('Subject: Hi\r\n\r\nHi\r\n'), mayStart = () => true) =>
  pool.send({
    workspaceId: 'acme',
    envelope: { from: 'me@example.com', to: ['jane@example.com'] },
    message,
    mayStart,
  });

async function untilNoneIsOpen(): Promise<void> {
  while (server.open() > 0) await sleep(10);
}

describe.each([
  ['without pipelining', []],
  ['with pipelining', ['PIPELINING']],
])('%s:', (_title, extensions) => {
  beforeEach(async () => {
    fault = () => undefined;
    server = await startRawSmtpServer((...at) => fault(...at), extensions);
    pool = openPool(toServer(toTestRelay(server.url, SHORT_TIMEOUTS)));
  });

  afterEach(async () => {
    pool.close();
    await server.close();
  });

  describe('a server that sends one byte at a time', () => {
    test('in reply to EHLO is disconnected, and no session is opened', async () => {
      fault = (moment) => (moment === 'EHLO' ? drip : undefined);
      expect(await send()).toMatchObject({ end: 'route_fault', fault: 'The server did not reply within 0.9 seconds' });
      await untilNoneIsOpen();
    });

    test('in reply to MAIL is disconnected and does not have the message', async () => {
      fault = (moment) => (moment === 'MAIL' ? drip : undefined);
      expect(await send()).toMatchObject({
        end: 'broken',
        phase: 'envelope',
        // With pipelining, the replies to RCPT and DATA end what the server has begun.
        fault: expect.stringMatching(/^The server did not reply to (?:MAIL|DATA) within 0.9 seconds$/),
      });
      await untilNoneIsOpen();
    });

    test('on all idle sessions gets only one new session', async () => {
      const replies: Array<() => void> = [];
      fault = (moment) => (moment === 'DOT' ? (socket) => replies.push(() => say('250 OK')(socket)) : undefined);
      const sending = [send(), send(), send()];
      while (replies.length < 3) await sleep(5);
      for (const reply of replies) reply();
      await Promise.all(sending);
      fault = (moment) => (moment === 'MAIL' ? drip : undefined);
      expect(await send()).toMatchObject({ end: 'broken' });
      expect(server.connections()).toBe(4);
      expect(server.mails).toHaveLength(5);
    });

    test('after the final dot is disconnected, and may have the message', async () => {
      fault = (moment) => (moment === 'DOT' ? drip : undefined);
      expect(await send()).toMatchObject({
        end: 'ambiguous',
        phase: 'reply',
        fault: 'The SMTP transaction took longer than 1.8 seconds',
      });
      await untilNoneIsOpen();
    });
  });

  describe('a lease that ended while the worker was frozen', () => {
    test('stops the message after the 354 and closes the connection', async () => {
      expect(await send(undefined, () => false)).toMatchObject({ end: 'lease_ended', phase: 'envelope' });
      await untilNoneIsOpen();
      expect(server.messages).toHaveLength(0);
      expect(await send()).toMatchObject({ end: 'completed' });
      expect(server.messages).toHaveLength(1);
    });

    test('is not checked again after the first byte of the message, unless the dot waits', async () => {
      await send();
      const message = LARGE.subarray(0, 17 * 10_000);
      let checks = 0;
      expect(await send(message, () => checks++ === 0)).toMatchObject({ end: 'completed' });
      expect(server.messages.at(-1)?.raw).toBe(message.toString().slice(0, -2));
    });
  });

  describe('a slow server', () => {
    const after =
      (ms: number, reply: string): Reaction =>
      (socket) =>
        setTimeout(say(reply), ms, socket);

    test('may take as long for its greeting as the time limit for greetings says', async () => {
      pool.close();
      pool = openPool(toServer(toTestRelay(server.url, { ...defaultTimeouts, connectMs: 300, greetingMs: 20_000 })));
      fault = first('CONNECT', after(900, '220 raw.test ESMTP'));
      expect(await send()).toMatchObject({ end: 'completed', phase: 'reply' });
    });

    test('is disconnected if it does not greet in time', async () => {
      pool.close();
      pool = openPool(toServer(toTestRelay(server.url, { ...defaultTimeouts, greetingMs: 300 })));
      fault = first('CONNECT', silence);
      expect(await send()).toMatchObject({ end: 'route_fault', faultCode: 'ETIMEDOUT' });
      await untilNoneIsOpen();
    });

    test('may take as long for a TLS handshake without STARTTLS as for its greeting', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      pool.close();
      const timeouts = { ...defaultTimeouts, connectMs: 100, greetingMs: 800 };
      pool = openPool(toServer(toTestRelay(`smtps://127.0.0.1:${port}`, timeouts)));
      const start = performance.now();
      const result = await send();
      const elapsed = performance.now() - start;
      silent.close();
      expect(result).toMatchObject({ end: 'route_fault', faultCode: 'ETIMEDOUT' });
      expect(elapsed).toBeGreaterThan(700);
    });

    test('may take longer for the envelope than for a single reply', async () => {
      fault = (moment) => {
        if (moment === 'DATA') return goOnAfter(500);
        return moment === 'MAIL' || moment === 'RCPT' ? after(500, '250 OK') : undefined;
      };
      expect(await send()).toMatchObject({ end: 'completed', phase: 'reply' });
    });
  });

  describe('a session', () => {
    test('does not count a message as delivered if the 250 arrives before the message ends', async () => {
      fault = first('BODY', say('250 OK'));
      expect(await send(LARGE)).toMatchObject({ end: 'broken', phase: 'data' });
      await untilNoneIsOpen();
    });

    test('is reused for the next email after a recipient was refused, even if RSET is slow', async () => {
      const refusal = first('RCPT', say('550 5.1.1 Nobody here'));
      let wasReset = false;
      fault = (moment, to, from) => {
        if (moment !== 'RSET') return refusal(moment, to, from);
        wasReset = true;
        return (socket) => setTimeout(say('250 OK'), 50, socket);
      };
      expect(await send()).toMatchObject({ end: 'completed', phase: 'envelope' });
      expect(wasReset).toBe(true);
      expect(await send()).toMatchObject({ end: 'completed', phase: 'reply' });
      expect(server.connections()).toBe(1);
    });

    test.each(['QUIT', 'RSET'] as const)('is closed if its %s never gets a reply', async (command) => {
      const refusal = first('RCPT', say(command === 'RSET' ? '550 No' : '250 OK'));
      fault = (moment, to, from) => (moment === command ? silence : refusal(moment, to, from));
      await send();
      pool.close();
      await untilNoneIsOpen();
    });
  });
});
