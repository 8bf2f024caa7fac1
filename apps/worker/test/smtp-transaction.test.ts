import type { Message } from '@posthorn/message';
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
  until,
} from '@posthorn/testing';
import { openPool, type Pool, toServer } from '../src/smtp/pool.js';
import type { Transaction } from '../src/smtp/transaction-result.js';
import { defaultTimeouts } from './default-timeouts.js';
import { toTestRelay } from './test-relays.js';

let server: RawSmtpServer;
let pool: Pool;
let fault: Fault;
let moments: Moment[];

const MESSAGE = Buffer.from('Subject: Hi\r\n\r\nHi\r\n');

async function open(extensions: readonly string[]): Promise<void> {
  fault = () => undefined;
  moments = [];
  server = await startRawSmtpServer((...at) => {
    moments.push(at[0]);
    return fault(...at);
  }, extensions);
  pool = openPool(toServer(toTestRelay(server.url, defaultTimeouts)));
}

afterEach(async () => {
  pool.close();
  await server.close();
});

const send = (to: readonly string[] = ['jane@example.com'], message: Message = MESSAGE) =>
  pool.send({ workspaceId: 'acme', envelope: { from: 'me@example.com', to }, message, mayStart: () => true });

const codes = ({ replies }: Transaction) =>
  Object.fromEntries([...replies].map(([address, { reply }]) => [address, reply.code]));

/** Replies to RCPT with the code in the recipient's local part: `550@example.com` gets 550. */
const byLocalPart: Fault = (moment, to) =>
  moment === 'RCPT' ? say(`${to.at(-1)?.slice(0, 3)} 5.1.1 As you wish`) : undefined;

describe.each([
  ['without pipelining', []],
  ['with pipelining', ['PIPELINING']],
])('%s:', (_title, extensions) => {
  beforeEach(() => open(extensions));

  test('a refused recipient has the reply to its RCPT, and any other has the reply to the message', async () => {
    fault = byLocalPart;
    const sent = await send(['250@example.com', '550@example.com', '451@example.com']);
    expect(sent).toMatchObject({ end: 'completed', phase: 'reply' });
    expect(codes(sent)).toEqual({ '250@example.com': 250, '550@example.com': 550, '451@example.com': 451 });
    expect(server.messages).toHaveLength(1);
  });

  test('if every recipient is refused, no message is sent and the session is reused for the next email', async () => {
    fault = (...at) => (at[0] === 'DATA' ? say('503 5.5.1 No valid recipients') : byLocalPart(...at));
    const sent = await send(['550@example.com', '451@example.com']);
    expect(sent).toMatchObject({ end: 'completed', phase: 'envelope' });
    expect(codes(sent)).toEqual({ '550@example.com': 550, '451@example.com': 451 });
    fault = () => undefined;
    await until(() => moments.includes('RSET'));
    expect(await send()).toMatchObject({ end: 'completed', phase: 'reply' });
    expect(server.messages).toHaveLength(1);
  });

  test('refusal of the sender applies to all recipients, whatever the replies to later commands', async () => {
    fault = (moment) => {
      if (moment === 'MAIL') return say('451 4.3.0 Not now');
      return moment === 'RCPT' || moment === 'DATA' ? say('503 5.5.1 MAIL first') : undefined;
    };
    const sent = await send(['jane@example.com', 'joe@example.com']);
    expect(sent).toMatchObject({ end: 'completed', phase: 'envelope' });
    expect(codes(sent)).toEqual({ 'jane@example.com': 451, 'joe@example.com': 451 });
  });

  test('421 to a recipient applies to all recipients except those already refused', async () => {
    fault = (moment, to, from) => {
      if (moment !== 'RCPT') return undefined;
      return to.at(-1)?.startsWith('busy') ? sayAndCut('421 4.7.0 Too many errors') : byLocalPart(moment, to, from);
    };
    const sent = await send(['250@example.com', '550@example.com', 'busy@example.com', 'joe@example.com']);
    expect(sent).toMatchObject({ end: 'completed', phase: 'envelope' });
    expect(codes(sent)).toEqual({
      '250@example.com': 421,
      '550@example.com': 550,
      'busy@example.com': 421,
      'joe@example.com': 421,
    });
    expect(server.messages).toHaveLength(0);
  });

  test('refusal of DATA applies to the accepted recipients', async () => {
    fault = (...at) => (at[0] === 'DATA' ? say('452 4.3.1 Disk full') : byLocalPart(...at));
    expect(codes(await send(['250@example.com', '550@example.com']))).toEqual({
      '250@example.com': 452,
      '550@example.com': 550,
    });
  });

  test('530 to every recipient makes the session suspect, and it is not reused', async () => {
    fault = (moment) => (moment === 'RCPT' ? say('530 5.7.0 Authentication required') : undefined);
    expect(await send()).toMatchObject({ end: 'completed', suspicion: 'session', faultCode: '530' });
    await until(() => server.open() === 0);
  });

  test('530 to one of several recipients refuses us for that recipient and does not make the session suspect', async () => {
    fault = byLocalPart;
    const sent = await send(['250@example.com', '530@example.com']);
    expect(sent).toMatchObject({ end: 'completed', phase: 'reply', suspicion: null });
    expect(sent.replies.get('530@example.com')).toMatchObject({ meaning: 'refuses_us' });
    expect(server.messages).toHaveLength(1);
  });

  test('a refusal of a recipient or of the message does not make the relay suspect', async () => {
    for (const moment of ['RCPT', 'DATA', 'DOT'] as const)
      for (const code of [451, 554]) {
        fault = first(moment, say(`${code} 5.7.1 No`));
        expect(await send()).toMatchObject({ end: 'completed', suspicion: null, fault: null });
      }
  });

  test('an envelope without recipients only asks whether the server accepts the sender', async () => {
    expect(await send([])).toMatchObject({ end: 'completed', phase: 'envelope', suspicion: null });
    expect(moments.filter((moment) => !['CONNECT', 'EHLO'].includes(moment))).toEqual(['MAIL', 'RSET']);
    fault = first('MAIL', say('452 4.3.1 Disk full'));
    expect(await send([])).toMatchObject({ end: 'completed', suspicion: 'sender', faultCode: '452' });
    fault = first('MAIL', say('550 5.7.1 Not you'));
    expect(await send([])).toMatchObject({ end: 'completed', suspicion: null });
    expect(server.messages).toHaveLength(0);
  });

  test('a multi-line reply that arrives in chunks is one reply', async () => {
    const chunks = ['250-2.0.0 Tak', 'en\r', '\n250', ' queued as 1', '\r\n'];
    fault = first('DOT', (socket) => {
      const next = () => {
        const chunk = chunks.shift();
        if (chunk !== undefined) socket.write(chunk, () => setTimeout(next, 5));
      };
      next();
    });
    const sent = await send();
    expect(sent.replies.get('jane@example.com')?.reply.text).toBe('250-2.0.0 Taken\n250 queued as 1');
    expect(sent.conversation.slice(-2)).toEqual(['S: 250-2.0.0 Taken', 'S: 250 queued as 1']);
  });

  test('a refusal after the final dot counts even without its line ending', async () => {
    fault = first('DOT', (socket) => socket.end('554 5.7.1 Spam'));
    const sent = await send();
    expect(sent).toMatchObject({ end: 'completed', phase: 'reply' });
    expect(codes(sent)).toEqual({ 'jane@example.com': 554 });
  });

  test('a reply that never ends breaks the connection', async () => {
    const endless = `250-${'x'.repeat(65_531)}\n`.repeat(20);
    fault = first('DOT', (socket) => socket.write(endless));
    expect(await send()).toMatchObject({
      end: 'ambiguous',
      fault: 'The server sent a reply of more than 1048576 characters',
    });
  });

  test('a stray line inside a reply ends the connection, and no recipient gets a result', async () => {
    const malformed: Reaction = (socket) => socket.write('550-5.1.1 Nobody\r\nhere\r\n550 of that name\r\n');
    fault = first('RCPT', malformed);
    const sent = await send(['john@example.com', 'jane@example.com']);
    expect(sent).toMatchObject({
      end: 'broken',
      fault: 'The server sent a line that does not belong to its reply: here',
    });
    expect(codes(sent)).toEqual({});
    expect(server.messages).toHaveLength(0);
  });

  test('a second 354 after the final dot makes the transaction ambiguous', async () => {
    fault = first('DOT', say('354 Go on'));
    expect(await send()).toMatchObject({ end: 'ambiguous', phase: 'reply' });
  });

  test('after a 250 to DATA, the message is not sent, because the server could read it as commands', async () => {
    fault = first('DATA', say('250 Taken already'));
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
    expect(server.mails).toHaveLength(1);
    expect(moments).not.toContain('BODY');
  });

  test('after an unexpected reply to DATA, the message is not sent', async () => {
    const twice: Reaction = (socket) => socket.write('354 Go on\r\n554 5.3.0 Or rather not\r\n');
    fault = first('DATA', twice);
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
    expect(moments).not.toContain('BODY');
  });

  test('a session with an unexpected reply is not reused', async () => {
    fault = first('DOT', say('250 OK\r\n250 OK'));
    expect(await send()).toMatchObject({ end: 'completed' });
    await until(() => server.open() === 1);
    expect(await send()).toMatchObject({ end: 'completed' });
    expect(server.connections()).toBe(2);
    expect(server.messages).toHaveLength(2);
  });

  test('a dot at the start of a line is doubled, whatever the preceding line ending', async () => {
    const message = Buffer.from('.a\r\n..b\r\n\n.\n.c\r.\r\n.\r\n');
    expect(await send(undefined, message)).toMatchObject({ end: 'completed' });
    expect(server.messages[0]?.raw).toBe('..a\r\n...b\r\n\n..\n..c\r..\r\n..');
  });

  test('a message sent in many chunks arrives complete, including its dots', async () => {
    const message = Buffer.from('.A line of text.\r\n'.repeat(50_000));
    expect(await send(undefined, message)).toMatchObject({ end: 'completed' });
    expect(server.messages[0]?.raw).toBe('..A line of text.\r\n'.repeat(50_000).slice(0, -2));
  });

  test('a message without a final line ending gets one', async () => {
    expect(await send(undefined, Buffer.from('Subject: Hi\r\n\r\nHi'))).toMatchObject({ end: 'completed' });
    expect(server.messages[0]?.raw).toBe('Subject: Hi\r\n\r\nHi');
  });

  test.each(['jane@example.com>\r\nRCPT TO:<joe@example.com', 'jane doe@example.com'])(
    'the address %j is never sent in a command',
    async (address) => {
      expect(await send([address])).toMatchObject({ end: 'broken', phase: 'envelope' });
      expect(server.mails).toHaveLength(0);
    },
  );
});

describe('a message that contains another one with 8-bit characters', () => {
  const raw = Buffer.from('Subject: Hi\r\n\r\né\r\n');
  const message = { pieces: [raw] as const, length: raw.length, is8Bit: true, read: () => [] };

  test('is announced to a server that supports it', async () => {
    await open(['8BITMIME']);
    expect(await send(undefined, message)).toMatchObject({ end: 'completed', phase: 'reply' });
    expect(server.messages).toHaveLength(1);
  });

  test('is not sent to a server that does not', async () => {
    await open([]);
    const sent = await send(undefined, message);
    expect(codes(sent)).toEqual({ 'jane@example.com': 554 });
    expect([...sent.replies.values()][0]?.reply.text).toMatch(/^554 5\.6\.3 /);
    expect(server.mails).toHaveLength(0);
  });
});

describe('with pipelining', () => {
  beforeEach(() => open(['PIPELINING', 'SIZE 1000']));

  test('sender, recipients and DATA are sent before the first reply', async () => {
    fault = (moment) => (['MAIL', 'RCPT'].includes(moment) ? silence : undefined);
    void send(['jane@example.com', 'joe@example.com']);
    await until(() => moments.includes('DATA'));
    expect(moments.slice(-4)).toEqual(['MAIL', 'RCPT', 'RCPT', 'DATA']);
  });

  test('after one reply too many, the connection is closed and no recipient has a reply', async () => {
    fault = (...at) => (at[0] === 'MAIL' ? (socket) => socket.write('250 Ok\r\n250 Ok\r\n') : byLocalPart(...at));
    const sent = await send(['550@example.com', '250@example.com']);
    expect(sent).toMatchObject({
      end: 'broken',
      fault: expect.stringContaining('The server sent an invalid reply to DATA: '),
    });
    expect(codes(sent)).toEqual({});
    expect(server.messages).toHaveLength(0);
  });

  test('a server that asks for a message without recipients gets an empty one, and the session is reused', async () => {
    fault = byLocalPart;
    const sent = await send(['550@example.com']);
    expect(codes(sent)).toEqual({ '550@example.com': 550 });
    expect(sent).toMatchObject({ end: 'completed', phase: 'envelope' });
    expect(server.messages.map(({ raw }) => raw)).toEqual(['.']);
    fault = () => undefined;
    await until(() => moments.includes('RSET'));
    await send();
    expect(server.connections()).toBe(1);
  });

  test('the connection is closed if the server asks for the message of a refused sender', async () => {
    fault = first('MAIL', say('550 5.7.1 Not you'));
    expect(await send()).toMatchObject({ end: 'completed', phase: 'envelope' });
    await until(() => server.open() === 0);
    expect(server.messages).toHaveLength(0);
  });

  test('if the connection breaks between the replies, the server does not have the message', async () => {
    fault = first('RCPT', cut);
    expect(await send()).toMatchObject({ end: 'broken', phase: 'envelope' });
  });

  test('the size is declared, and a message over the limit is not sent', async () => {
    const { conversation } = await send();
    expect(conversation).toContain(`C: MAIL FROM:<me@example.com> SIZE=${MESSAGE.length}`);
    const sent = await send(undefined, Buffer.alloc(1_001, 'x'));
    expect(codes(sent)).toEqual({ 'jane@example.com': 552 });
    expect(server.mails).toHaveLength(1);
  });
});

describe('a server that supports DSN', () => {
  const commands = ({ conversation }: Transaction) => conversation.filter((line) => /^C: (MAIL|RCPT)/.test(line));

  test('is asked to report failures and delays, and to repeat the address that we sent to', async () => {
    await open(['DSN']);
    expect(commands(await send(['jane+news=2@example.com', 'joe@example.com']))).toEqual([
      'C: MAIL FROM:<me@example.com> RET=HDRS ENVID=me',
      'C: RCPT TO:<jane+news=2@example.com> NOTIFY=FAILURE,DELAY ORCPT=rfc822;jane+2Bnews+3D2@example.com',
      'C: RCPT TO:<joe@example.com> NOTIFY=FAILURE,DELAY ORCPT=rfc822;joe@example.com',
    ]);
    expect(server.messages[0]?.to).toEqual(['jane+news=2@example.com', 'joe@example.com']);
  });

  test('is asked to report success too, with notify=success', async () => {
    await open(['DSN']);
    pool.close();
    pool = openPool(toServer(toTestRelay(`${server.url}?notify=success`, defaultTimeouts)));
    expect(commands(await send()).at(-1)).toContain(' NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=');
  });

  test('is the only one that is asked', async () => {
    await open(['PIPELINING', 'SIZE']);
    expect(commands(await send())).toEqual([
      `C: MAIL FROM:<me@example.com> SIZE=${MESSAGE.length}`,
      'C: RCPT TO:<jane@example.com>',
    ]);
  });
});
