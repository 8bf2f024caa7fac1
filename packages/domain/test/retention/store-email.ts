import type { Context } from '@posthorn/platform';
import { DAY_MS, newId, toFirstId } from '@posthorn/platform/values';

export const TABLES = [
  'emails',
  'email_contents',
  'email_recipients',
  'email_tags',
  'delivery_attempts',
  'events',
] as const;

export const daysAhead = (days: number) => new Date(Date.now() + days * DAY_MS);

/** An id that starts with the given time. */
export const idAt = (at: Date, n = 0) => toFirstId(at.getTime()).slice(0, -12) + n.toString(16).padStart(12, '0');

/** Stores an email with a row in every table. @returns its id */
export async function storeEmail(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  id = newId(),
  { waits = false } = {},
): Promise<string> {
  const row = { email_id: id, workspace_id: workspaceId };
  const at = new Date();
  await db('emails').insert({
    id,
    workspace_id: workspaceId,
    status: waits ? 'queued' : 'sent',
    from_: 'us@example.com',
    from_address: 'us@example.com',
    subject: 'Hello',
    to: ['jane@example.com'],
    tags: ['a:b'],
    recipient_count: 1,
    created_at: at,
    usage_day: '2026-11-22',
  });
  await db('email_contents').insert({ ...row, text: 'Hello' });
  const recipient = { position: 0, kind: 'to', address: 'jane@example.com', status: 'sent', updated_at: at };
  await db('email_recipients').insert({ ...row, ...recipient });
  await db('email_tags').insert({ ...row, tag: 'a:b' });
  await db('delivery_attempts').insert({ ...row, attempt: 1, started_at: at });
  const event = { id: newId(), workspace_id: workspaceId, type: 'email.accepted', created_at: at };
  await db('events').insert({ ...event, stream_id: id, sequence: 1 });
  if (waits) await db('deliveries').insert({ ...row, due_at: at, is_due: true });
  return id;
}

const KEYS: Readonly<Record<string, string>> = { emails: 'id', events: 'stream_id' };

/** The ids of the emails that have rows in this table. */
export async function idsIn({ db }: Pick<Context, 'db'>, table: string): Promise<string[]> {
  return (
    await db(table)
      .distinct()
      .pluck(KEYS[table] ?? 'email_id')
  ).sort();
}

/** For each table, the ids of the emails that have rows in it. */
export async function idsInEach(ctx: Pick<Context, 'db'>): Promise<Record<string, string[]>> {
  const entries = await Promise.all(TABLES.map(async (table) => [table, await idsIn(ctx, table)]));
  return Object.fromEntries(entries);
}

/** What `idsInEach` returns if each of these emails has rows in all tables. */
export const inAllTables = (ids: string[]) => Object.fromEntries(TABLES.map((table) => [table, [...ids].sort()]));
