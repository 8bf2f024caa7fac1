import type { NodemailerError } from 'nodemailer/lib/errors';

/** Every error of nodemailer's, as far as it goes: only a server's reply has a `responseCode`. */
type SmtpError = Error & Partial<Pick<NodemailerError, 'code' | 'originalCode' | 'responseCode'>>;

/** `421`, `ECONNREFUSED` ...: what broke, without the server's text, which may name a recipient. */
export function faultCodeOf({ responseCode, originalCode, code }: SmtpError): string | null {
  return responseCode?.toString() ?? originalCode ?? code ?? null;
}
