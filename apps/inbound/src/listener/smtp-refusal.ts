/** An error with the reply that the client gets: a code (RFC 5321, 4.2) and a text that begins with an enhanced code. */
export class SmtpRefusal extends Error {
  override name = 'SmtpRefusal';

  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}
