import type { Db } from '../database/connect.js';
import { inPipeline, inPipelinedTransaction, type Send, type Statement } from '../database/pipeline.js';
import type { AttachmentContent } from './attachment-content.js';

/**
 * Content is divided into rows of this size, so that neither process ever holds much more than that of one attachment.
 * It is a multiple of 57, so each row encodes to whole lines of base64.
 */
export const PART_BYTES = 57 * 18_000;

/**
 * How long content is kept without an email that has it, in minutes. An accept transaction follows within seconds, and
 * its foreign key fails if the content is gone after all.
 */
const KEPT_MINUTES = 60;
/** Content that is kept for at least this much longer is not marked again, so that frequent content is not locked. */
const ENOUGH_MINUTES = 50;

/**
 * Stores the content of attachments, each once per workspace. This must be done before the accept transaction, because a
 * statement of 10 MB would keep the other requests of its group waiting. If the emails are not accepted, the clean-up
 * deletes the content after an hour.
 * @throws Error of Postgres
 */
export async function stageAttachments(
  db: Db,
  workspaceId: string,
  contents: readonly AttachmentContent[],
): Promise<void> {
  const distinct = new Map(contents.map((content) => [content.sha256, content]));
  for (const content of distinct.values()) await stage(db, workspaceId, content);
}

async function stage(db: Db, workspaceId: string, content: AttachmentContent): Promise<void> {
  const id = [workspaceId, content.sha256];
  const [kept] = await inPipeline(db, (send) => send(IS_KEPT, id));
  if (kept) return;
  await inPipelinedTransaction(db, async ({ send, commit }) => {
    const [blob] = await send<{ is_new: boolean }>(KEEP, [...id, content.bytes.length]);
    if (blob?.is_new) await Promise.all(partsOf(content).map((bytes, part) => insertPart(send, [...id, part, bytes])));
    await commit();
  });
}

const IS_KEPT: Statement = {
  name: 'is_blob_kept',
  text: `
    select from blobs
    where workspace_id = $1 and sha256 = decode($2, 'hex') and kept_until > now() + interval '${ENOUGH_MINUTES} minutes'`,
};

/** A new row has no xmax. If another request is just storing the same content, this waits for it. */
const KEEP: Statement = {
  name: 'keep_blob',
  text: `
    insert into blobs (workspace_id, sha256, size, kept_until)
    values ($1, decode($2, 'hex'), $3, now() + interval '${KEPT_MINUTES} minutes')
    on conflict (workspace_id, sha256) do update set kept_until = greatest(blobs.kept_until, excluded.kept_until)
    returning xmax = 0 as is_new`,
};

const INSERT_PART: Statement = {
  name: 'insert_blob_part',
  text: `insert into blob_parts (workspace_id, sha256, part, bytes) values ($1, decode($2, 'hex'), $3, $4)`,
};

async function insertPart(send: Send, values: unknown[]): Promise<void> {
  await send(INSERT_PART, values);
}

function partsOf({ bytes }: AttachmentContent): Buffer[] {
  const count = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: count }, (_, part) => bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
}
