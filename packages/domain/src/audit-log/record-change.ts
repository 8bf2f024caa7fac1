import type { AuditAction, AuditTarget } from '@posthorn/contract';
import { assertStorage } from '@posthorn/domain/plans';
import { formatCountOf, newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { Actor, AuditedFields, AuditValue, Changes, Summarized } from './audit-entry.js';
import { insertEntry } from './audit-log-store.js';

type RecordedChange = {
  /** The live workspace; null for a change that concerns all workspaces on a plan. */
  readonly workspaceId: string | null;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  /** The target before the change; null if it is new. Must contain no secrets, except in `Summarized` values. */
  readonly before: AuditedFields | null;
  /** The target after the change; null if it was deleted. */
  readonly after: AuditedFields | null;
};

/**
 * Writes an entry to the audit log. If no field differs, nothing was changed and there is no entry.
 *
 * Entries are kept for more than a year, so they count toward the workspace's storage. Changes of settings may use a
 * little more than its limit, because some make room. Changes that only take something away are refused much later: a
 * full workspace must be able to revoke keys.
 * @param trx the transaction that makes the change, so that neither exists without the other
 * @throws Refusal storage_limit_exceeded for a change by a user or a key
 */
export async function recordChange(trx: Knex.Transaction, actor: Actor, change: RecordedChange): Promise<void> {
  const { before, after, ...what } = change;
  const changes = compareFields(before, after);
  if (Object.keys(changes).length === 0) return;
  await insertEntry(trx, { id: newId(), actor, ...what, changes });
  const isByTenant = actor.type === 'user' || actor.type === 'api_key';
  if (!isByTenant || what.workspaceId === null) return;
  const timesLimit = after === null || TAKES_ACCESS_AWAY.has(what.action) ? TIMES_LIMIT.removals : TIMES_LIMIT.changes;
  await assertStorage(trx, what.workspaceId, 0, { timesLimit });
}

/** How far above the storage limit a workspace may be after a change. */
const TIMES_LIMIT = { changes: 1.1, removals: 2 };

const TAKES_ACCESS_AWAY: ReadonlySet<AuditAction> = new Set([
  'api_key.revoked',
  'member.role_changed',
  'recipient.erased',
  'webhook.secret_rotated',
]);

/**
 * @param before null for something new
 * @param after null for something deleted
 */
export function compareFields(before: AuditedFields | null, after: AuditedFields | null): Changes {
  const names = Object.keys({ ...before, ...after });
  return Object.fromEntries(
    names.flatMap((name) => {
      const [from, to] = [before?.[name] ?? null, after?.[name] ?? null];
      return isSame(from, to) ? [] : [[name, { from: shown(from), to: shown(to) }]];
    }),
  );
}

/** @param text the content of a field whose size is enough for the log */
export function summarizeText(text: string): Summarized {
  return { value: text, summary: formatCountOf(text.length, 'character') };
}

function isSame(a: AuditValue | Summarized, b: AuditValue | Summarized): boolean {
  if (isSummarized(a) && isSummarized(b)) return a.value === b.value;
  return JSON.stringify(a) === JSON.stringify(b);
}

function shown(value: AuditValue | Summarized): AuditValue {
  return isSummarized(value) ? value.summary : value;
}

function isSummarized(value: AuditValue | Summarized): value is Summarized {
  return typeof value === 'object' && value !== null && 'summary' in value;
}
