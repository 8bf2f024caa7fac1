import { encodedSize } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { inPipeline, type Statement } from '@posthorn/platform/postgres';
import type { ClaimedAttachment } from './attachment.js';
import { PART_BYTES } from './stage-attachments.js';

/** The encoded attachments of smaller messages are kept in memory, so that they are read only once. */
export const MAX_ATTACHED_BYTES_IN_MEMORY = 1_000_000;

const PART_CHARACTERS = encodedSize(PART_BYTES);

/**
 * Reads an attachment as base64 in lines, as it is sent, in pieces of 1.4 MB, one at a time.
 * @throws Error if the content is incomplete or cannot be read
 */
export async function* readAttachment(
  ctx: Pick<Context, 'db' | 'objects'>,
  workspaceId: string,
  attachment: Pick<ClaimedAttachment, 'sha256' | 'size' | 'objectKey'>,
): AsyncGenerator<Buffer> {
  const length = encodedSize(attachment.size);
  for (let part = 0; part * PART_CHARACTERS < length; part += 1) {
    const lines = await readPart(ctx, workspaceId, { attachment, part });
    if (lines?.length !== Math.min(PART_CHARACTERS, length - part * PART_CHARACTERS))
      throw new Error(`Part ${part} of the attachment ${attachment.sha256} is missing`);
    yield lines;
  }
}

type Part = { readonly attachment: Pick<ClaimedAttachment, 'sha256' | 'size' | 'objectKey'>; readonly part: number };

async function readPart(
  { db, objects }: Pick<Context, 'db' | 'objects'>,
  workspaceId: string,
  { attachment: { sha256, size, objectKey }, part }: Part,
): Promise<Buffer | undefined> {
  if (objectKey === null) {
    const rows = await inPipeline(db, (send) => send<{ lines: string }>(READ_PART, [workspaceId, sha256, part]));
    return rows[0] && Buffer.from(rows[0].lines, 'latin1');
  }
  if (objects === null) throw new Error('BLOB_STORE does not name the object store that has the attachment');
  return objects.get(objectKey, part * PART_CHARACTERS, Math.min((part + 1) * PART_CHARACTERS, encodedSize(size)));
}

const READ_PART: Statement = {
  name: 'read_blob_part',
  text: `select lines from blob_parts where workspace_id = $1 and sha256 = decode($2, 'hex') and part = $3`,
};
