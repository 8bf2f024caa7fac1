import { Refusal } from '@posthorn/domain/errors';
import type { Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { type LimitOverrides, type PlanId, toAllowance, withUnverifiedCap } from './plans.js';

/*
 * What a workspace keeps is counted by triggers (schema/tables/storage.ts) and limited here. Writes that a client asks
 * for are refused once the workspace has no room: files, templates, suppressions, test mail, large live emails, and
 * changes of settings, because each has an entry in the audit log. What must be recorded is counted, but never refused:
 * bounces, complaints and unsubscribes. Other live mail is limited by the caps instead.
 */

/** The bytes that a workspace keeps, with its test mail. @param id the live workspace */
export async function readStoredBytes(db: Knex, id: string): Promise<number> {
  const [row] = await db('storage').where({ workspace_id: id }).sum<{ bytes: number }[]>({ bytes: 'bytes' });
  return Number(row?.bytes ?? 0);
}

/** The same, for a pipeline. */
export const READ_STORED_BYTES: Statement = {
  name: 'read_stored_bytes',
  text: 'select coalesce(sum(bytes), 0)::bigint as bytes from storage where workspace_id = $1',
};

/** @returns the refusal of a write that would exceed the limit; null if there is room */
export function findStorageFault(
  used: number,
  { added, limit }: { readonly added: number; readonly limit: number },
): Refusal | null {
  return used + added > limit ? new Refusal('storage_limit_exceeded', { used, added, limit }) : null;
}

/** What may be used of the limit by `assertStorage`. The reserve is for changes that make room, or that take access away. */
type StorageOptions = { readonly timesLimit?: number };

/**
 * Whether a workspace may keep more. Call it before a write with the bytes that will be added, so that a full workspace
 * costs no write. Call it again after the write, in its transaction and with 0: the trigger that counted the write holds
 * the lock of the counter, so simultaneous writes cannot exceed the limit together.
 * @param id the live workspace, or another id, for which there is no limit
 * @throws Refusal storage_limit_exceeded
 */
export async function assertStorage(
  db: Knex,
  id: string,
  added: number,
  { timesLimit = 1 }: StorageOptions = {},
): Promise<void> {
  const { rows } = await db.raw(
    `select workspaces.plan_id, array[plan_overrides.limit_overrides, workspaces.limit_overrides] as overrides,
       unverified_owner_id is not null as is_unverified,
       (select coalesce(sum(bytes), 0)::bigint from storage where workspace_id = workspaces.id) as bytes
     from workspaces left join plan_overrides using (plan_id) where workspaces.id = ?`,
    [id],
  );
  const row: RoomRow | undefined = rows[0];
  if (!row) return;
  const overrides = row.overrides.filter((each) => each !== null);
  // The rate limit is not used.
  const allowance = toAllowance(row.plan_id, overrides, 0);
  const limit = (row.is_unverified ? withUnverifiedCap(allowance) : allowance).storageBytes;
  if (findStorageFault(row.bytes, { added, limit: limit * timesLimit }))
    throw new Refusal('storage_limit_exceeded', { used: row.bytes, added, limit });
}

type RoomRow = {
  readonly plan_id: PlanId;
  readonly is_unverified: boolean;
  readonly overrides: ReadonlyArray<LimitOverrides | null>;
  readonly bytes: number;
};
