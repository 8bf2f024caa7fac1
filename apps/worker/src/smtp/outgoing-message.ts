export type Envelope = { readonly from: string; readonly to: readonly string[] };

export type OutgoingMessage = {
  readonly envelope: Envelope;
  readonly message: Buffer;
  /** Called right before the first byte of the message is sent. If it returns false, nothing is sent. */
  readonly mayStart: () => boolean;
};
