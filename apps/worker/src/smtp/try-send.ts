import type { NodemailerError } from 'nodemailer/lib/errors';
import { RouteFault } from './connection.js';
import type { OutgoingMessage } from './outgoing-message.js';
import type { Pool } from './pool.js';
import { faultText, type Transaction } from './transaction.js';

/** Sends one message. If no session can be opened, the `end` of the result is `route_fault`. */
export async function trySend(pool: Pool, outgoing: OutgoingMessage): Promise<Transaction> {
  try {
    return await pool.send(outgoing);
  } catch (error) {
    if (!(error instanceof RouteFault)) throw error;
    const { cause, conversation } = error;
    return {
      phase: 'connect',
      end: 'route_fault',
      suspicion: 'session',
      replies: new Map(),
      fault: faultText(error),
      faultCode: faultCodeOf(cause),
      conversation,
    };
  }
}

/** Any nodemailer error. Only a reply from the server has a `responseCode`. */
type SmtpError = Error & Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'responseCode'>>;

/**
 * The code of the fault, such as `421` or `ECONNREFUSED`. The server's text is not logged, because it may name a
 * recipient.
 */
function faultCodeOf({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}
