import { Readable } from 'node:stream';
import { failpoint } from '@posthorn/domain';

/** A message on its way, and how far it got. */
export type MessageStream = {
  readonly stream: Readable;
  /** The server said 354 and the first byte was asked for: from now on it may have the message. */
  hasStarted(): boolean;
  /** All of it, final dot included, is on its way: without a reply nobody knows who has the message. */
  hasEnded(): boolean;
};

/** Why a message was not let out at the last moment. */
export class LeaseEnded extends Error {
  override name = 'LeaseEnded';
}

/** Small, so that what is still unread tells how much the server cannot have. */
const SLICE_BYTES = 16_384;

/**
 * The message as a stream that is read only after the server's 354. That first read is the last
 * moment at which nothing has been sent, so here the lease is looked at once more.
 * @param mayStart false stops the message before its first byte
 * @param onLast called before the last piece is given away; the final dot follows it in the same turn
 */
export function messageStream(message: Buffer, mayStart: () => boolean, onLast: () => void): MessageStream {
  let offset = 0;
  const stream = new Readable({
    read() {
      if (offset === 0) failpoint('before_data');
      if (offset === 0 && !mayStart()) {
        this.destroy(new LeaseEnded('The lease on this email has ended'));
        return;
      }
      const slice = message.subarray(offset, offset + SLICE_BYTES);
      offset += slice.length;
      if (slice.length > 0 && offset === message.length) onLast();
      if (slice.length === 0) failpoint('after_data');
      this.push(slice.length > 0 ? slice : null);
    },
  });
  return { stream, hasStarted: () => offset > 0, hasEnded: () => stream.readableEnded };
}
