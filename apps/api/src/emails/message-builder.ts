import { join } from 'node:path';
import { limits } from '@posthorn/domain/limits';
import { buildWholeMessage, type WholeMessageParts } from '@posthorn/message';
import { openThread } from '@posthorn/threads';
import type { MessageJob, MessageResult } from './message-thread.js';

/** Building a message takes a few times its size in memory. */
const MAX_THREAD_HEAP_MB = 256;

export type MessageBuilder = {
  /** @param bytes how large the content is */
  build(parts: WholeMessageParts, bytes: number): Promise<Buffer>;
  close(): Promise<void>;
};

/** Builds messages for clients to download. Large ones are built in a second thread, one at a time. */
export function openMessageBuilder(): MessageBuilder {
  const thread = openThread<MessageJob, MessageResult>(join(import.meta.dirname, 'message-thread'), {
    maxHeapMb: MAX_THREAD_HEAP_MB,
  });
  return {
    async build(parts, bytes) {
      if (bytes <= limits.smallBody.max) return buildWholeMessage(parts);
      const message = await thread.run(parts);
      return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    },
    close: () => thread.close(),
  };
}
