import type { ClaimedAttachment } from '@posthorn/domain/attachments';

/** A message as it is sent: whole, or with attachments that are read while it is sent. */
export type Message = Buffer | StreamedMessage;

/** A piece begins at the start of a line. An attachment represents its bytes in base64. */
export type Piece = Buffer | ClaimedAttachment;

export type StreamedMessage = {
  /** In bytes, including the attachments. */
  readonly length: number;
  /** The first one begins with all headers, and the last one is a buffer. */
  readonly pieces: readonly [Buffer, ...Piece[]];
  /** Reads the content of an attachment in lines of base64, up to 64 kB at a time. @throws MessageUnreadable */
  readonly read: (attachment: ClaimedAttachment) => AsyncIterable<Buffer> | Iterable<Buffer>;
};

/** An attachment could not be read while the message was being signed or sent. */
export class MessageUnreadable extends Error {
  override name = 'MessageUnreadable';

  constructor() {
    super('An attachment could not be read');
  }
}
