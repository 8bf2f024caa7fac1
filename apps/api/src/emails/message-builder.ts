import { limits } from '@posthorn/domain/limits';
import { buildWholeMessage, type WholeMessageParts } from '@posthorn/message';
import type { ApiContext } from '../context/api-context.js';

/**
 * Builds a message for a client to download. Large ones are built in a second thread, one at a time.
 * @param bytes how large the content is
 */
export async function buildMessage(
  { threads }: Pick<ApiContext, 'threads'>,
  parts: WholeMessageParts,
  bytes: number,
): Promise<Buffer> {
  if (bytes <= limits.smallBody.max) return buildWholeMessage(parts);
  const message = await threads.messages.run(parts);
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
}
