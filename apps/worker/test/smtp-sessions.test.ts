import { drip, type Fault, first, type RawSmtpServer, say, silence, startRawSmtpServer } from '@posthorn/testing';
import { openPool, type Pool } from '../src/smtp/pool.js';
import { toRelay } from '../src/smtp/relay.js';
import { timeouts } from '../src/smtp/timeouts.js';

let server: RawSmtpServer;
let pool: Pool;
let fault: Fault;

const IMPATIENT = { ...timeouts, untilDataMs: 300, wholeMs: 600, partingMs: 100 };
/** More than the buffers between us and the server. */
const LARGE = Buffer.from('A line of text.\r\n'.repeat(1_000_000));

const send = (message = Buffer.from('Subject: Hi\r\n\r\nHi\r\n'), mayStart = () => true) =>
  pool.send({ envelope: { from: 'me@example.com', to: ['jane@example.com'] }, message, mayStart });

async function untilNoneIsOpen(): Promise<void> {
  while (server.open() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each([
  ['one command at a time', []],
  ['several at once', ['PIPELINING']],
])('%s:', (_title, extensions) => {
  beforeEach(async () => {
    fault = () => undefined;
    server = await startRawSmtpServer((moment, to) => fault(moment, to), extensions);
    pool = openPool(toRelay(server.url, IMPATIENT));
  });

  afterEach(async () => {
    pool.close();
    await server.close();
  });

  describe('a server that drips', () => {
    test('in answer to EHLO is given up: no session can be had', async () => {
      fault = (moment) => (moment === 'EHLO' ? drip : undefined);
      await expect(send()).rejects.toThrow('too long to be ready');
      await untilNoneIsOpen();
    });

    test('in answer to MAIL is given up: nobody has the message', async () => {
      fault = (moment) => (moment === 'MAIL' ? drip : undefined);
      expect(await send()).toMatchObject({
        end: 'broken',
        phase: 'envelope',
        fault: expect.stringContaining('too long'),
      });
      await untilNoneIsOpen();
    });

    test('on all its used sessions is asked on one new session and no more', async () => {
      const gathered: Array<() => void> = [];
      fault = (moment) => (moment === 'DOT' ? (socket) => gathered.push(() => say('250 OK')(socket)) : undefined);
      const sending = [send(), send(), send()];
      while (gathered.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const answer of gathered) answer();
      await Promise.all(sending);
      fault = (moment) => (moment === 'MAIL' ? drip : undefined);
      expect(await send()).toMatchObject({ end: 'broken' });
      expect(server.connections()).toBe(4);
      expect(server.mails).toHaveLength(5);
    });

    test('after the final dot is given up: somebody may have the message', async () => {
      fault = (moment) => (moment === 'DOT' ? drip : undefined);
      expect(await send()).toMatchObject({ end: 'ambiguous', phase: 'reply' });
      await untilNoneIsOpen();
    });
  });

  describe('a lease that ended while we were frozen', () => {
    test('keeps the message back after the 354, and the link is dropped', async () => {
      expect(await send(undefined, () => false)).toMatchObject({ end: 'lease_ended', phase: 'envelope' });
      await untilNoneIsOpen();
      expect(server.messages).toHaveLength(0);
      expect(await send()).toMatchObject({ end: 'answered' });
      expect(server.messages).toHaveLength(1);
    });

    test('is not asked again once the message has begun', async () => {
      const message = LARGE.subarray(0, 17 * 10_000);
      let asked = 0;
      expect(await send(message, () => asked++ === 0)).toMatchObject({ end: 'answered' });
      expect(server.messages[0]?.raw).toBe(message.toString().slice(0, -2));
    });
  });

  describe('a session', () => {
    test('that answers 250 before the end of the message has not taken it', async () => {
      fault = first('BODY', say('250 OK'));
      expect(await send(LARGE)).toMatchObject({ end: 'broken', phase: 'data' });
      await untilNoneIsOpen();
    });

    test('serves the next mail after a recipient was refused, also where RSET takes its time', async () => {
      const refusal = first('RCPT', say('550 5.1.1 Nobody here'));
      let wasReset = false;
      fault = (moment, to) => {
        if (moment !== 'RSET') return refusal(moment, to);
        wasReset = true;
        return (socket) => setTimeout(say('250 OK'), 50, socket);
      };
      expect(await send()).toMatchObject({ end: 'answered', phase: 'envelope' });
      expect(wasReset).toBe(true);
      expect(await send()).toMatchObject({ end: 'answered', phase: 'reply' });
      expect(server.connections()).toBe(1);
    });

    test.each(['QUIT', 'RSET'] as const)('is closed though its %s is never answered', async (unanswered) => {
      const refusal = first('RCPT', say(unanswered === 'RSET' ? '550 No' : '250 OK'));
      fault = (moment, to) => (moment === unanswered ? silence : refusal(moment, to));
      await send();
      pool.close();
      await untilNoneIsOpen();
    });
  });
});
