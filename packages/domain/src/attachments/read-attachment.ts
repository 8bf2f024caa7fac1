import type { Context } from '../context.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { ClaimedAttachment } from './attachment.js';
import { PART_BYTES } from './stage-attachments.js';

/**
 * Reads the bytes of an attachment in pieces of 1 MB, one at a time.
 * @throws Error if the content is incomplete or cannot be read
 */
export async function* readAttachment(
  ctx: Pick<Context, 'db' | 'objects'>,
  workspaceId: string,
  attachment: Pick<ClaimedAttachment, 'sha256' | 'size' | 'objectKey'>,
): AsyncGenerator<Buffer> {
  const { sha256, size } = attachment;
  for (let part = 0; part * PART_BYTES < size; part += 1) {
    const bytes = await readPart(ctx, workspaceId, { attachment, part });
    if (bytes?.length !== Math.min(PART_BYTES, size - part * PART_BYTES))
      throw new Error(`Part ${part} of the attachment ${sha256} is missing`);
    yield bytes;
  }
}

type Part = { readonly attachment: Pick<ClaimedAttachment, 'sha256' | 'size' | 'objectKey'>; readonly part: number };

async function readPart(
  { db, objects }: Pick<Context, 'db' | 'objects'>,
  workspaceId: string,
  { attachment: { sha256, size, objectKey }, part }: Part,
): Promise<Buffer | undefined> {
  if (objectKey === null) {
    const rows = await inPipeline(db, (send) => send<{ bytes: Buffer }>(READ_PART, [workspaceId, sha256, part]));
    return rows[0]?.bytes;
  }
  if (objects === null) throw new Error('BLOB_STORE does not name the object store that has the attachment');
  return objects.get(objectKey, part * PART_BYTES, Math.min((part + 1) * PART_BYTES, size));
}

const READ_PART: Statement = {
  name: 'read_blob_part',
  text: `select bytes from blob_parts where workspace_id = $1 and sha256 = decode($2, 'hex') and part = $3`,
};
