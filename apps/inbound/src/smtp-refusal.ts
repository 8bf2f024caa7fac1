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

/** Calls back with the error that the step throws. Any other error than a refusal is a temporary failure. */
export function answer(callback: (error?: Error | null) => void, step: () => Promise<void>): void {
  step().then(
    () => callback(),
    (error) => callback(error instanceof SmtpRefusal ? error : new SmtpRefusal(451, '4.3.0 Try again later')),
  );
}
