import { encodeBase64Lines, measureBase64 } from '@posthorn/domain/format';
import { type Allowance, findStorageFault, READ_STORED_BYTES } from '@posthorn/domain/plans';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { ObjectStore } from '@posthorn/platform/object-store';
import {
  type Db,
  inPipeline,
  inPipelinedTransaction,
  listColumns,
  type Send,
  type Statement,
} from '@posthorn/platform/postgres';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { AttachmentContent, ClaimedAttachment, StoredAttachment } from './attachment.js';

/**
 * Content is divided into rows of this size, so a worker never holds much more than this of an attachment. It is a
 * multiple of 57, so each row encodes to whole lines of base64.
 */
export const PART_BYTES = 57 * 18_000;

/**
 * How long content is kept if no email uses it, in minutes. An accept transaction follows within
 * seconds, and its foreign key fails if the content is gone after all.
 */
const KEPT_MINUTES = 60;
/** Content that will be kept for at least this long is not marked again, to avoid locking it often. */
const ENOUGH_MINUTES = 50;

type StoreContext = Pick<Context, 'db' | 'objects'>;

/** Whose attachments they are, and how much it may keep. */
type Owner = Pick<Workspace, 'id' | 'liveId'> & { readonly allowance: Pick<Allowance, 'storageBytes'> };

/** Identifies one piece of content; the first parameters of the statements. */
type BlobId = readonly [workspaceId: string, sha256: string];

/**
 * Stores the content of attachments, each once per workspace, in the form in which it is sent. This must be done before
 * the accept transaction, because a 10 MB statement would keep the other requests of its group waiting. If the
 * emails are not accepted, the clean-up deletes the content after an hour.
 * @throws Refusal storage_limit_exceeded; an error from Postgres or the object store
 */
export async function stageAttachments(
  ctx: StoreContext,
  owner: Owner,
  contents: readonly AttachmentContent[],
): Promise<void> {
  const distinct = new Map(contents.map((content) => [content.sha256, content]));
  for (const content of distinct.values()) await stage(ctx, owner, content);
}

async function stage({ db, objects }: StoreContext, owner: Owner, content: AttachmentContent): Promise<void> {
  const id: BlobId = [owner.id, content.sha256];
  const [kept] = await inPipeline(db, (send) => send(IS_KEPT, [...id]));
  if (kept) return;
  if (objects === null) await storeParts(db, owner, { id, content });
  else await storeObject(db, objects, { owner, id, content });
}

type NewBlob = { readonly id: BlobId; readonly content: AttachmentContent };

async function storeParts(db: Db, owner: Owner, { id, content }: NewBlob): Promise<void> {
  await inPipelinedTransaction(db, async ({ send, commit }) => {
    const { is_new: isNew } = await keep(send, owner, [...id, content.bytes.length, null]);
    // One at a time, because encoding them all would keep the event loop busy.
    if (isNew) for (const [part, lines] of encodedParts(content)) await send(INSERT_PART, [...id, part, lines]);
    await commit();
  });
}

type Kept = { readonly is_new: boolean; readonly object_key: string; readonly is_stored: boolean };

/**
 * Writes the row of the content. If it is new, the transaction now holds the lock of the workspace's storage, so
 * simultaneous requests cannot exceed the limit together.
 * @throws Refusal storage_limit_exceeded
 */
async function keep(
  send: Send,
  { liveId, allowance }: Owner,
  values: [...id: BlobId, size: number, objectKey: string | null],
): Promise<Kept> {
  const [[kept], [stored]] = await Promise.all([
    send<Kept>(KEEP, values),
    send<{ bytes: number }>(READ_STORED_BYTES, [liveId]),
  ]);
  if (!kept) throw new Error('The content has no row');
  const added = kept.is_new ? countBlob(values[2]) : 0;
  const fault = findStorageFault((stored?.bytes ?? 0) - added, { added, limit: allowance.storageBytes });
  if (fault && kept.is_new) throw fault;
  return kept;
}

/** What content of this size counts as in the storage of its workspace (schema/tables/storage.ts). */
function countBlob(size: number): number {
  return 1_000 + Math.ceil(size * 1.37);
}

/** The row comes first, so every object has a row. Concurrent requests write the same bytes. */
async function storeObject(
  db: Db,
  objects: ObjectStore,
  { owner, id, content }: NewBlob & { readonly owner: Owner },
): Promise<void> {
  const blob = await inPipelinedTransaction(db, async ({ send, commit }) => {
    const kept = await keep(send, owner, [...id, content.bytes.length, `${id.join('/')}/${newId()}`]);
    await commit();
    return kept;
  });
  if (blob.is_stored) return;
  await objects.put(blob.object_key, encodeBase64Lines(content.bytes));
  const marked = await inPipeline(db, (send) => send(MARK_STORED, [...id]));
  // The workspace was deleted in the meantime.
  if (marked.length === 0) await objects.delete(blob.object_key);
}

const IS_KEPT: Statement = {
  name: 'is_blob_kept',
  text: `
    select from blobs
    where workspace_id = $1 and sha256 = decode($2, 'hex') and is_stored
      and kept_until > now() + interval '${ENOUGH_MINUTES} minutes'`,
};

/** A new row has no xmax. If another request is storing the same content, this waits for it. */
const KEEP: Statement = {
  name: 'keep_blob',
  text: `
    insert into blobs (workspace_id, sha256, size, object_key, is_stored, kept_until)
    values ($1, decode($2, 'hex'), $3, $4, $4::text is null, now() + interval '${KEPT_MINUTES} minutes')
    on conflict (workspace_id, sha256) do update set kept_until = greatest(blobs.kept_until, excluded.kept_until)
    returning xmax = 0 as is_new, object_key, is_stored`,
};

const INSERT_PART: Statement = {
  name: 'insert_blob_part',
  text: `insert into blob_parts (workspace_id, sha256, part, lines) values ($1, decode($2, 'hex'), $3, $4)`,
};

const MARK_STORED: Statement = {
  name: 'mark_blob_stored',
  text: `update blobs set is_stored = true where workspace_id = $1 and sha256 = decode($2, 'hex') returning 1`,
};

function* encodedParts({ bytes }: AttachmentContent): Generator<readonly [part: number, lines: Buffer]> {
  for (let part = 0; part * PART_BYTES < bytes.length; part += 1)
    yield [part, encodeBase64Lines(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))];
}

/** The encoded attachments of smaller messages are kept in memory, so that they are read only once. */
export const MAX_ATTACHED_BYTES_IN_MEMORY = 1_000_000;

const PART_CHARACTERS = measureBase64(PART_BYTES);

/**
 * Reads an attachment as base64 in lines, as it is sent, in pieces of 1.4 MB, one at a time.
 * @throws Error if the content is incomplete or cannot be read
 */
export async function* readAttachment(
  ctx: Pick<Context, 'db' | 'objects'>,
  workspaceId: string,
  attachment: Pick<ClaimedAttachment, 'sha256' | 'size' | 'objectKey'>,
): AsyncGenerator<Buffer> {
  const length = measureBase64(attachment.size);
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
  return objects.get(objectKey, part * PART_CHARACTERS, Math.min((part + 1) * PART_CHARACTERS, measureBase64(size)));
}

const READ_PART: Statement = {
  name: 'read_blob_part',
  text: `select lines from blob_parts where workspace_id = $1 and sha256 = decode($2, 'hex') and part = $3`,
};

/** The attachments of an email, in the order of the request. */
export async function listAttachments(db: Knex, emailId: string): Promise<StoredAttachment[]> {
  return db('email_attachments')
    .select(listColumns('email_attachments', 'filename contentType contentId size'))
    .select(db.raw("encode(sha256, 'hex') as sha256"))
    .where({ email_id: emailId })
    .orderBy('position');
}
