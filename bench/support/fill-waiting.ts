import type { Db } from '@posthorn/platform/postgres';

/** What the emails have in common. */
export type WaitingEmails = {
  readonly workspaceId: string;
  readonly from: string;
  readonly html: string;
  readonly text: string;
};

/**
 * Inserts emails that are waiting to be sent, in one transaction and with the rows that accepting would insert.
 * @param beforeCommit called just before the COMMIT, while no worker can see the emails yet
 * @returns their ids
 */
export async function fillWaiting(
  db: Db,
  { workspaceId, from, html, text }: WaitingEmails,
  count: number,
  beforeCommit: () => void = () => {},
): Promise<string[]> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw(WAITING, { count, workspaceId, from, html, text });
    beforeCommit();
    return rows.map((row: { id: string }) => row.id);
  });
}

const WAITING = `
  with entry as materialized (
    select uuidv7() as id, 'jane' || n || '@example.com' as address from generate_series(1, :count::int) as n
  ),
  new_emails as (
    insert into emails (
      id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day
    )
    select id, :workspaceId, 'queued', :from, :from, 'Your order has been shipped', array[address], 1, now(),
      current_date
    from entry
  ),
  new_deliveries as (
    insert into deliveries (email_id, workspace_id, due_at, is_due) select id, :workspaceId, now(), true from entry
  ),
  new_contents as (
    insert into email_contents (email_id, workspace_id, html, text) select id, :workspaceId, :html, :text from entry
  ),
  new_recipients as (
    insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
    select id, :workspaceId, 0, 'to', address, 'queued', now() from entry
  )
  select id from entry`;
