import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type Conversation, openConversation } from './conversation.js';
import type { Relay } from './relay.js';

/** An SMTP session that is greeted, encrypted and logged in. */
export type Connection = {
  readonly smtp: SMTPConnection;
  readonly conversation: Conversation;
  isOpen: boolean;
};

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

/** @throws RouteFault */
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
  const connection: Connection = { smtp, conversation, isOpen: true };
  smtp.once('end', () => {
    connection.isOpen = false;
  });
  try {
    await greet(smtp, relay);
    return connection;
  } catch (error) {
    smtp.close();
    throw new RouteFault(error as Error, conversation.take());
  }
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
