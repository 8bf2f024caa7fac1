import type { Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Conversation, openConversation } from './conversation.js';
import { Dialogue } from './dialogue.js';
import type { Relay } from './relay.js';

/** An SMTP session that is greeted, encrypted and logged in. */
export type Connection = {
  readonly conversation: Conversation;
  readonly dialogue: Dialogue;
  /** Whether several commands may be sent at once (RFC 2920). */
  readonly mayPipeline: boolean;
  readonly takesSize: boolean;
  /** Bytes of the largest message that the server takes (RFC 1870); 0: it does not say. */
  readonly maxBytes: number;
  isOpen: boolean;
  close(): void;
};

/** What nodemailer's types leave out: the socket as it is at last, encrypted or not, and what EHLO announced. */
type Opened = { _socket: Socket; _supportedExtensions: readonly string[]; _maxAllowedSize: number };

/** The server could not be reached, greeted, trusted or logged in to: no mail is to blame. */
export class RouteFault extends Error {
  override name = 'RouteFault';

  constructor(
    override readonly cause: Error,
    readonly conversation: readonly string[],
  ) {
    super(cause.message);
  }
}

/**
 * Nodemailer opens the session and watches its socket: silence, errors, the end. What is said on it once
 * it is ready is ours, for nodemailer does not tell how far a message came.
 * @throws RouteFault
 */
export async function openConnection(relay: Relay): Promise<Connection> {
  const { timeouts } = relay;
  const conversation = openConversation();
  const smtp = new SMTPConnection({
    ...relay.options,
    logger: conversation.logger,
    transactionLog: true,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
  });
  try {
    await greet(smtp, relay);
    return takeOver(smtp, conversation);
  } catch (error) {
    smtp.close();
    throw new RouteFault(error as Error, conversation.take());
  }
}

function takeOver(smtp: SMTPConnection, conversation: Conversation): Connection {
  const { _socket: socket, _supportedExtensions: extensions, _maxAllowedSize: maxBytes } = smtp as unknown as Opened;
  const close = () => smtp.close();
  socket.removeAllListeners('data');
  const connection: Connection = {
    conversation,
    dialogue: new Dialogue(socket, conversation, close),
    mayPipeline: extensions.includes('PIPELINING'),
    takesSize: extensions.includes('SIZE'),
    maxBytes,
    isOpen: true,
    close,
  };
  // If there is more to it than the end, that is told first.
  smtp.on('error', (error) => connection.dialogue.end(error));
  smtp.once('end', () => {
    connection.isOpen = false;
    connection.dialogue.end(new Error('The server closed the connection'));
  });
  return connection;
}

async function greet(smtp: SMTPConnection, { auth, timeouts }: Relay): Promise<void> {
  let tarpit: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      tarpit = setTimeout(reject, timeouts.untilDataMs, new Error('The server took too long to be ready'));
      // Stays for the life of the connection: an idle one may fail with nobody waiting for it.
      smtp.on('error', reject);
      smtp.once('end', () => reject(new Error('The server closed the connection')));
      smtp.connect((error) => {
        if (error) reject(error);
        else if (auth === null) resolve();
        else smtp.login(auth, (refused) => (refused ? reject(refused) : resolve()));
      });
    });
  } finally {
    clearTimeout(tarpit);
  }
}
