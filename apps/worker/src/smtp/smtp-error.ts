import type { NodemailerError } from 'nodemailer/lib/errors';
import { type SmtpReply, toReply } from './reply.js';

/** Every error of nodemailer's, as far as it goes: only a server's reply has a `responseCode`. */
export type SmtpError = Error &
  Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'command' | 'response' | 'responseCode' | 'recipient'>>;

/** The command that a reply in the envelope answered; all that comes later belongs to DATA. */
export function commandOf({ command = '' }: SmtpError): 'MAIL' | 'RCPT' | 'DATA' {
  if (command.startsWith('RCPT')) return 'RCPT';
  return command.startsWith('MAIL') ? 'MAIL' : 'DATA';
}

export function replyOf({ responseCode, response, message }: SmtpError): SmtpReply {
  return toReply(responseCode, response ?? message);
}

/** `421`, `ECONNREFUSED` ...: what broke, without the server's text, which may name a recipient. */
export function faultCodeOf({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}
