import {
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
} from '@posthorn/testing';
import { openPool, type Pool } from '../src/smtp/pool.js';
import { toRelay } from '../src/smtp/relay.js';
import type { Transaction } from '../src/smtp/transaction.js';

let server: RawSmtpServer;
let pool: Pool;
let fault: Fault;
let moments: Moment[];

const MESSAGE = Buffer.from('Subject: Hi\r\n\r\nHi\r\n');

async function open(extensions: readonly string[]): Promise<void> {
  fault = () => undefined;
  moments = [];
  server = await startRawSmtpServer((moment, to) => {
    moments.push(moment);
    return fault(moment, to);
  }, extensions);
  pool = openPool(toRelay(server.url));
}

afterEach(async () => {
  pool.close();
  await server.close();
});

const send = (to: readonly string[] = ['jane@example.com'], message = MESSAGE) =>
  pool.send({ envelope: { from: 'me@example.com', to }, message, mayStart: () => true });

const codes = ({ replies }: Transaction) =>
  Object.fromEntries([...replies].map(([address, { reply }]) => [address, reply.code]));

/** Answers RCPT by the recipient's local part: `550@example.com` gets 550. */
const byName: Fault = (moment, to) =>
  moment === 'RCPT' ? say(`${to.at(-1)?.slice(0, 3)} 5.1.1 As you wish`) : undefined;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each([
  ['one command at a time', []],
  ['several at once', ['PIPELINING']],
])('%s:', (_title, extensions) => {
  beforeEach(() => open(extensions));

  test('each recipient has its own reply, and those who are left the one to the message', async () => {
    fault = byName;
    const sent = await send(['250@example.com', '550@example.com', '451@example.com']);
    expect(sent).toMatchObject({ end: 'answered', phase: 'reply' });
    expect(codes(sent)).toEqual({ '250@example.com': 250, '550@example.com': 550, '451@example.com': 451 });
    expect(server.messages).toHaveLength(1);
  });

  test('where all are refused by name nobody gets a message, and the session serves the next mail', async () => {
    fault = (moment, to) => (moment === 'DATA' ? say('503 5.5.1 No valid recipients') : byName(moment, to));
    const sent = await send(['550@example.com', '451@example.com']);
    expect(sent).toMatchObject({ end: 'answered', phase: 'envelope' });
    expect(codes(sent)).toEqual({ '550@example.com': 550, '451@example.com': 451 });
    fault = () => undefined;
    await until(() => moments.includes('RSET'));
    expect(await send()).toMatchObject({ end: 'answered', phase: 'reply' });
    expect(server.messages).toHaveLength(1);
  });

  test('a refused sender is the answer to all, whatever is said of the commands behind it', async () => {
    fault = (moment) => {
      if (moment === 'MAIL') return say('451 4.3.0 Not now');
      return moment === 'RCPT' || moment === 'DATA' ? say('503 5.5.1 MAIL first') : undefined;
    };
    const sent = await send(['jane@example.com', 'joe@example.com']);
    expect(sent).toMatchObject({ end: 'answered', phase: 'envelope' });
    expect(codes(sent)).toEqual({ 'jane@example.com': 451, 'joe@example.com': 451 });
  });

  test('421 to a recipient is the answer to all but those who were refused by name', async () => {
    fault = (moment, to) => {
      if (moment !== 'RCPT') return undefined;
      return to.at(-1)?.startsWith('busy') ? sayAndCut('421 4.7.0 Too many errors') : byName(moment, to);
    };
    const sent = await send(['250@example.com', '550@example.com', 'busy@example.com', 'joe@example.com']);
    expect(sent).toMatchObject({ end: 'answered', phase: 'envelope' });
    expect(codes(sent)).toEqual({
      '250@example.com': 421,
      '550@example.com': 550,
      'busy@example.com': 421,
      'joe@example.com': 421,
    });
    expect(server.messages).toHaveLength(0);
  });

  test('a refused DATA is the answer to those who were accepted', async () => {
    fault = (moment, to) => (moment === 'DATA' ? say('452 4.3.1 Disk full') : byName(moment, to));
    expect(codes(await send(['250@example.com', '550@example.com']))).toEqual({
      '250@example.com': 452,
      '550@example.com': 550,
    });
  });

  test('530 to every recipient blames the relay', async () => {
    fault = (moment) => (moment === 'RCPT' ? say('530 5.7.0 Authentication required') : undefined);
    expect(await send()).toMatchObject({ end: 'route_fault', faultCode: '530' });
  });

  test('a reply in pieces and lines is one reply', async () => {
    const pieces = ['250-2.0.0 Tak', 'en\r', '\n250', ' queued as 1', '\r\n'];
    fault = first('DOT', (socket) => {
      const next = () => {
        const piece = pieces.shift();
        if (piece !== undefined) socket.write(piece, () => setTimeout(next, 5));
      };
      next();
    });
    const sent = await send();
    expect(sent.replies.get('jane@example.com')?.reply.text).toBe('250-2.0.0 Taken\n250 queued as 1');
    expect(sent.conversation.slice(-2)).toEqual(['S: 250-2.0.0 Taken', 'S: 250 queued as 1']);
  });

  test('a refusal without its line end, after the final dot, is a refusal', async () => {
    fault = first('DOT', (socket) => socket.end('554 5.7.1 Spam'));
    const sent = await send();
    expect(sent).toMatchObject({ end: 'answered', phase: 'reply' });
    expect(codes(sent)).toEqual({ 'jane@example.com': 554 });
  });

  test('a reply that never ends breaks the link', async () => {
    const endless = `250-${'x'.repeat(65_531)}\n`.repeat(20);
    fault = first('DOT', (socket) => socket.write(endless));
    expect(await send()).toMatchObject({ end: 'ambiguous', fault: expect.stringContaining('without end') });
  });

  test('a line in a reply that is none of it breaks the link, for the next would be taken for another answer', async () => {
    const brokenOff: Reaction = (socket) => socket.write('550-5.1.1 Nobody\r\nhere\r\n550 of that name\r\n');
    fault = first('RCPT', brokenOff);
    const sent = await send(['john@example.com', 'jane@example.com']);
    expect(sent).toMatchObject({ end: 'broken', fault: expect.stringContaining('broke off') });
    expect(codes(sent)).toEqual({});
    expect(server.messages).toHaveLength(0);
  });

  test('a second 354 after the final dot answers nothing: nobody knows who has the message', async () => {
    fault = first('DOT', say('354 Go on'));
    expect(await send()).toMatchObject({ end: 'ambiguous', phase: 'reply' });
  });

  test('a 250 to DATA keeps the message back: its text could be commands to who waits for some', async () => {
    fault = first('DATA', say('250 Taken already'));
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
    expect(server.mails).toHaveLength(1);
    expect(moments).not.toContain('BODY');
  });

  test('what is said right behind the 354 keeps the message back', async () => {
    const twice: Reaction = (socket) => socket.write('354 Go on\r\n554 5.3.0 Or rather not\r\n');
    fault = first('DATA', twice);
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
    expect(moments).not.toContain('BODY');
  });

  test('a session on which something was said unasked is not used again', async () => {
    fault = first('DOT', say('250 OK\r\n250 OK'));
    expect(await send()).toMatchObject({ end: 'answered' });
    await until(() => server.open() === 1);
    expect(await send()).toMatchObject({ end: 'answered' });
    expect(server.connections()).toBe(2);
    expect(server.messages).toHaveLength(2);
  });

  test('lines that begin with a dot get another one, whatever ends the line before', async () => {
    const message = Buffer.from('.a\r\n..b\r\n\n.\n.c\r.\r\n.\r\n');
    expect(await send(undefined, message)).toMatchObject({ end: 'answered' });
    expect(server.messages[0]?.raw).toBe('..a\r\n...b\r\n\n..\n..c\r..\r\n..');
  });

  test('a message of many pieces arrives whole, dots and all', async () => {
    const message = Buffer.from('.A line of text.\r\n'.repeat(50_000));
    expect(await send(undefined, message)).toMatchObject({ end: 'answered' });
    expect(server.messages[0]?.raw).toBe('..A line of text.\r\n'.repeat(50_000).slice(0, -2));
  });

  test('a message without a last line end gets one', async () => {
    expect(await send(undefined, Buffer.from('Subject: Hi\r\n\r\nHi'))).toMatchObject({ end: 'answered' });
    expect(server.messages[0]?.raw).toBe('Subject: Hi\r\n\r\nHi');
  });

  test.each(['jane@example.com>\r\nRCPT TO:<joe@example.com', 'jane doe@example.com'])(
    'the address %j never becomes a command',
    async (address) => {
      expect(await send([address])).toMatchObject({ end: 'broken', phase: 'envelope' });
      expect(server.mails).toHaveLength(0);
    },
  );
});

describe('several at once', () => {
  beforeEach(() => open(['PIPELINING', 'SIZE 1000']));

  test('sender, recipients and DATA are sent before the first of them is answered', async () => {
    fault = (moment) => (['MAIL', 'RCPT'].includes(moment) ? silence : undefined);
    void send(['jane@example.com', 'joe@example.com']);
    await until(() => moments.includes('DATA'));
    expect(moments.slice(-4)).toEqual(['MAIL', 'RCPT', 'RCPT', 'DATA']);
  });

  test('a server that says one reply too many is hung up on, and nobody is judged by it', async () => {
    fault = (moment, to) => (moment === 'MAIL' ? (socket) => socket.write('250 Ok\r\n250 Ok\r\n') : byName(moment, to));
    const sent = await send(['550@example.com', '250@example.com']);
    expect(sent).toMatchObject({ end: 'broken', fault: expect.stringContaining('no answer to it') });
    expect(codes(sent)).toEqual({});
    expect(server.messages).toHaveLength(0);
  });

  test('a server that wants a message for nobody gets an empty one, and serves the next mail', async () => {
    fault = byName;
    const sent = await send(['550@example.com']);
    expect(codes(sent)).toEqual({ '550@example.com': 550 });
    expect(sent).toMatchObject({ end: 'answered', phase: 'envelope' });
    expect(server.messages.map(({ raw }) => raw)).toEqual(['.']);
    fault = () => undefined;
    await until(() => moments.includes('RSET'));
    await send();
    expect(server.connections()).toBe(1);
  });

  test('a server that wants the message of a sender it refused is hung up on', async () => {
    fault = first('MAIL', say('550 5.7.1 Not you'));
    expect(await send()).toMatchObject({ end: 'answered', phase: 'envelope' });
    await until(() => server.open() === 0);
    expect(server.messages).toHaveLength(0);
  });

  test('a link that breaks between the replies leaves nobody with the message', async () => {
    fault = first('RCPT', cut);
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
  });

  test('the size is announced, and a message above the limit is not', async () => {
    const { conversation } = await send();
    expect(conversation).toContain(`C: MAIL FROM:<me@example.com> SIZE=${MESSAGE.length}`);
    const sent = await send(undefined, Buffer.alloc(1_001, 'x'));
    expect(codes(sent)).toEqual({ 'jane@example.com': 552 });
    expect(server.mails).toHaveLength(1);
  });
});
