import type { AuditAction, AuditTarget } from '@posthorn/contract';
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
 * @param trx the transaction that makes the change, so that neither exists without the other
 */
export async function recordChange(trx: Knex.Transaction, actor: Actor, change: RecordedChange): Promise<void> {
  const { before, after, ...what } = change;
  const changes = compareFields(before, after);
  if (Object.keys(changes).length > 0) await insertEntry(trx, { id: newId(), actor, ...what, changes });
}

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
