import type { StoredMessage } from '@posthorn/domain/emails';

/** Emails whose html and text together are at most this large never wait. */
const MAX_SMALL_BYTES = 256_000;
/**
 * The maximum total size of html and text in the large messages in progress. A message takes up to ten times as much
 * memory, because it is encoded, signed and sent.
 */
const MAX_LARGE_BYTES = 16_000_000;
/** The maximum total size of the attachments that are kept between signing and sending. They are not copied. */
const MAX_KEPT_BYTES = 64_000_000;

export type MessageMemory = {
  /** Settles when there is memory to build and send this email. Calls are served in order. */
  reserve(email: StoredMessage, bytes: number): Promise<void>;
  /** Whether the email's attachments can be kept in memory right now. If not, they must be read again. */
  keep(email: StoredMessage, bytes: number): boolean;
  /** Call this when the attempt has ended, whether or not any memory was reserved. */
  release(email: StoredMessage): void;
};

/**
 * Bounds the memory for large messages, because a worker with many slots could otherwise build hundreds of megabytes at
 * the same time. An email that is larger than the bound is built when no other large email is in progress, so every
 * email gets its turn.
 */
export function messageMemory(maxBytes = MAX_LARGE_BYTES): MessageMemory {
  const reserved = new Map<StoredMessage, number>();
  const waiting: Array<{ email: StoredMessage; bytes: number; start: () => void }> = [];
  const kept = new Map<StoredMessage, number>();
  let used = 0;
  let keptBytes = 0;

  function startWaiting(): void {
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= maxBytes); next = waiting[0]) {
      waiting.shift();
      used += next.bytes;
      reserved.set(next.email, next.bytes);
      next.start();
    }
  }

  return {
    async reserve(email, bytes) {
      if (bytes <= MAX_SMALL_BYTES) return;
      await new Promise<void>((start) => {
        waiting.push({ email, bytes, start });
        startWaiting();
      });
    },
    keep(email, bytes) {
      if (keptBytes + bytes > MAX_KEPT_BYTES) return false;
      kept.set(email, bytes);
      keptBytes += bytes;
      return true;
    },
    release(email) {
      keptBytes -= kept.get(email) ?? 0;
      kept.delete(email);
      const bytes = reserved.get(email);
      if (bytes === undefined) return;
      reserved.delete(email);
      used -= bytes;
      startWaiting();
    },
  };
}
