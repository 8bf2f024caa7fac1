import { connect, type Socket } from 'node:net';
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '@posthorn/testing';

const MESSAGE = 'From: a@example.com\r\nTo: b@example.com\r\nSubject: Hello\r\n\r\nHow are you?\r\n.\r\n';

/** Sends the commands one after another, and collects the last line of each reply. */
async function sendCommands(sink: SmtpSink, commands: readonly string[]): Promise<string[]> {
  const socket = connect(sink.port, '127.0.0.1');
  const replies = [await nextReply(socket)];
  for (const command of commands) {
    socket.write(command.endsWith('\r\n.\r\n') ? command : `${command}\r\n`);
    replies.push(await nextReply(socket));
  }
  socket.destroy();
  return replies;
}

function nextReply(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const last = text.split('\r\n').at(-2);
      if (!last || !/^\d{3} /.test(last)) return;
      socket.off('data', read);
      resolve(last);
    };
    socket.on('data', read);
  });
}

const DIALOG = ['EHLO test', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA', MESSAGE];

async function withSink(options: SmtpSinkOptions, work: (sink: SmtpSink) => Promise<void>): Promise<void> {
  const sink = await startSmtpSink(options);
  await work(sink).finally(() => sink.close());
}

test('the sink stores accepted messages with their envelope and parsed content', () =>
  withSink({}, async (sink) => {
    await sendCommands(sink, DIALOG);
    const [message] = await sink.waitFor(1);
    expect(message?.envelope).toEqual({ from: 'a@example.com', to: ['b@example.com'] });
    expect(message?.parsed.subject).toBe('Hello');
    expect(message?.raw.toString()).toContain('How are you?');
  }));

test.each([
  ['CONNECT', 0],
  ['MAIL', 2],
  ['RCPT', 3],
  ['DATA', 5],
] as const)('the sink sends the configured reply to %s unchanged', (refused, position) =>
  withSink(
    { reply: (command) => (command === refused ? { code: 451, text: '4.7.1 Come back later' } : undefined) },
    async (sink) => {
      const replies = await sendCommands(sink, DIALOG.slice(0, position));
      expect(replies.at(-1)).toBe('451 4.7.1 Come back later');
      expect(sink.messages).toHaveLength(0);
    },
  ),
);

test('the sink requires a login if credentials are set', () =>
  withSink({ auth: { user: 'me', pass: 'secret' } }, async (sink) => {
    const plain = (pass: string) => `AUTH PLAIN ${Buffer.from(`\0me\0${pass}`).toString('base64')}`;
    expect((await sendCommands(sink, ['EHLO test', 'MAIL FROM:<a@example.com>'])).at(-1)).toMatch(/^530 /);
    expect((await sendCommands(sink, ['EHLO test', plain('wrong')])).at(-1)).toMatch(/^535 /);
    expect((await sendCommands(sink, ['EHLO test', plain('secret')])).at(-1)).toMatch(/^235 /);
    expect(sink.url).toBe(`smtp://me:secret@127.0.0.1:${sink.port}`);
  }));

test('waitFor reports how many messages arrived in time', () =>
  withSink({}, (sink) => expect(sink.waitFor(1, 1)).rejects.toThrow('Only 0 of 1 message(s) arrived within 1 ms.')));
