import { once } from 'node:events';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { keepMessage, type Mailbox } from './mailbox.js';

const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
/** A sender may keep its connection open between messages; it is not waited for longer than this. */
const CLOSE_TIMEOUT_MS = 1_000;

export type Receiver = { readonly close: () => Promise<void> };

/** Listens for SMTP and keeps every message, from anybody to anybody, without login and without TLS. */
export async function listenForMail(mailbox: Mailbox, host: string, port: number): Promise<Receiver> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAX_MESSAGE_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    logger: false,
    onData(stream, session, done) {
      receive(mailbox, stream, session).then((text) => done(null, text), done);
    },
  });
  // A client that breaks off is no fault of the inbox; a port that is taken fails the wait below
  server.on('error', () => {});
  await once(server.listen(port, host), 'listening');
  return { close: () => new Promise((resolve) => server.close(resolve)) };
}

/** @returns the text of the 250 reply */
async function receive(mailbox: Mailbox, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
  const raw = await readAll(stream);
  if (!raw) throw reply(552, `The message is larger than ${MAX_MESSAGE_BYTES} bytes`);
  const { mailFrom, rcptTo } = session.envelope;
  const from = mailFrom ? mailFrom.address : '';
  const to = rcptTo.map(({ address }) => address);
  try {
    const { id } = await keepMessage(mailbox, { from, to, raw });
    return `OK: kept as ${id}`;
  } catch {
    throw reply(452, 'The inbox could not write the message to its folder; is the disk full?');
  }
}

/** @returns null for a message that is too large: it is read to its end, as SMTP demands, but not kept in memory */
async function readAll(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks.length = 0;
    else chunks.push(chunk);
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
