import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { StoredAttachment } from './attachment.js';

/**
 * Reads the bytes of an attachment in pieces of 1 MB, one at a time.
 * @throws Error if the content is incomplete; the error of Postgres if it cannot be read
 */
export async function* readAttachment(
  db: Db,
  workspaceId: string,
  { sha256, size }: Pick<StoredAttachment, 'sha256' | 'size'>,
): AsyncGenerator<Buffer> {
  let read = 0;
  for (let part = 0; read < size; part += 1) {
    const rows = await inPipeline(db, (send) => send<{ bytes: Buffer }>(READ_PART, [workspaceId, sha256, part]));
    const [row] = rows;
    if (!row) throw new Error(`Part ${part} of the attachment ${sha256} is missing`);
    read += row.bytes.length;
    yield row.bytes;
  }
}

const READ_PART: Statement = {
  name: 'read_blob_part',
  text: `select bytes from blob_parts where workspace_id = $1 and sha256 = decode($2, 'hex') and part = $3`,
};
