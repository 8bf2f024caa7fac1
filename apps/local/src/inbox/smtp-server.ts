import { once } from 'node:events';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type Mailbox, storeMessage } from './mailbox.js';

const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
/** How long `close` waits for clients that keep their connection open between messages. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Accepts every message, from any sender to any recipient, without login or TLS.
 * @returns a function that closes the server
 */
export async function startSmtpServer(mailbox: Mailbox, host: string, port: number): Promise<() => Promise<void>> {
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
  // Ignores clients that disconnect early. If the port is in use, `once` below rejects.
  server.on('error', () => {});
  await once(server.listen(port, host), 'listening');
  return () => new Promise((resolve) => server.close(resolve));
}

async function receive(mailbox: Mailbox, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
  const raw = await readAll(stream);
  if (!raw) throw buildSmtpError(552, `The message is larger than ${MAX_MESSAGE_BYTES} bytes`);
  const { mailFrom, rcptTo } = session.envelope;
  const from = mailFrom ? mailFrom.address : '';
  const to = rcptTo.map(({ address }) => address);
  try {
    const { id } = await storeMessage(mailbox, { from, to, raw });
    return `OK: stored as ${id}`;
  } catch {
    throw buildSmtpError(452, 'The inbox could not write the message to disk. Is the disk full?');
  }
}

/** @returns null if the message is too large. SMTP requires us to read it to the end, but we do not store it. */
async function readAll(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks.length = 0;
    else chunks.push(chunk);
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}

function buildSmtpError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
