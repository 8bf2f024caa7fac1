import { type Db, inPipeline, inPipelinedTransaction, type Send, type Statement } from '@posthorn/platform/postgres';
import { WANTS_EVENT } from './webhook-delivery-store.js';
import { LOCK_WEBHOOK_STATE, RESUMED } from './webhook-state-store.js';

/**
 * The part of a replay that makes the webhook due and ends a pause. The deliveries change in the same statement, so a
 * crash cannot leave them due without a worker that looks for them. The webhook is locked before that (`replayUnderLock`).
 * @param condition what must be true, so that a replay of nothing changes nothing
 */
const resumedIf = (condition: string) => `
  resumed as (
    update webhook_states set ${RESUMED}
    where webhook_id = $1::uuid and ${condition}
    returning webhook_id
  )`;

/**
 * Locks a webhook before its deliveries, because recording results does that too, and the two could deadlock. The lock
 * has a statement of its own, because of what Postgres 18 does otherwise (see delivery/outcome-store.ts).
 */
function replayUnderLock<Row>(db: Db, webhookId: string, replay: (send: Send) => Promise<Row[]>): Promise<Row[]> {
  return inPipelinedTransaction(db, async ({ send, commit }) => {
    const [, rows] = await Promise.all([send(LOCK_WEBHOOK_STATE, [webhookId]), replay(send), commit()]);
    return rows;
  });
}

/** What makes a delivery due again, at the beginning of the retry schedule. */
const DUE_AGAIN = `status = 'pending', due_at = now(), retries = 0`;

export async function hasDelivery(db: Db, webhookId: string, eventId: string): Promise<boolean> {
  const found = await db('webhook_deliveries').select('event_id').where({ webhook_id: webhookId, event_id: eventId });
  return found.length > 0;
}

/** @returns whether the webhook has a delivery of this event */
export async function replayDelivery(db: Db, webhookId: string, eventId: string): Promise<boolean> {
  const rows = await replayUnderLock(db, webhookId, (send) => send(REPLAY_ONE, [webhookId, eventId]));
  return rows.length > 0;
}

const REPLAY_ONE: Statement = {
  name: 'replay_delivery',
  text: `
  with ${resumedIf('exists (select from webhook_deliveries where webhook_id = $1 and event_id = $2::uuid)')}
  update webhook_deliveries set ${DUE_AGAIN}
  from resumed
  where webhook_deliveries.webhook_id = resumed.webhook_id and event_id = $2
  returning event_id`,
};

/**
 * Makes deliveries due that have failed, or that have been tried and wait to be tried again.
 * @param from only events with this id or a higher one
 * @returns how many, up to `limit`
 */
export async function replayFailedDeliveries(
  db: Db,
  webhookId: string,
  { from, limit }: { from: string; limit: number },
): Promise<number> {
  const [row] = await replayUnderLock(db, webhookId, (send) =>
    send<{ replayed: number }>(REPLAY_FAILED, [webhookId, limit, from]),
  );
  return row?.replayed ?? 0;
}

const REPLAY_FAILED: Statement = {
  name: 'replay_failed_deliveries',
  text: `
  with failed as (
    (
      select event_id from webhook_deliveries where webhook_id = $1::uuid and status = 'failed' and event_id >= $3::uuid
      order by event_id limit $2::int
    )
    union all
    (
      select event_id from webhook_deliveries
      where webhook_id = $1 and due_at > now() and retries > 0 and event_id >= $3 order by due_at limit $2
    )
    limit $2
  ),${resumedIf('exists (select from failed)')},
  replayed as (
    update webhook_deliveries set ${DUE_AGAIN}
    from resumed
    where webhook_deliveries.webhook_id = resumed.webhook_id and event_id >= $3
      and event_id = any(array(select event_id from failed))
    returning event_id
  )
  select count(*)::int as replayed from replayed`,
};

/**
 * Makes deliveries of all events of a period that the webhook wants, whether or not it had them before. If there are
 * more than `limit`, it makes none.
 * @param firstPosition no event of the period has a lower position
 * @param endPosition all events of the period have lower positions; null if the period is not over
 * @returns how many events were found, up to `limit` + 1
 */
export async function replayRange(
  db: Db,
  webhookId: string,
  {
    from,
    to,
    firstPosition,
    endPosition,
    limit,
  }: { from: Date; to: Date; firstPosition: number; endPosition: number | null; limit: number },
): Promise<{ found: number; replayed: number }> {
  const [row] = await replayUnderLock(db, webhookId, (send) =>
    send<{ found: number; replayed: number }>(REPLAY_RANGE, [webhookId, from, to, limit, firstPosition, endPosition]),
  );
  return row ?? { found: 0, replayed: 0 };
}

const REPLAY_RANGE: Statement = {
  name: 'replay_range',
  text: `
  with matching as materialized (
    select event.id, event.workspace_id, stream_id, sequence
    from webhooks as webhook join events as event on event.workspace_id = webhook.workspace_id
    where webhook.id = $1::uuid and event.position >= $5::bigint and ($6::bigint is null or event.position < $6)
      and event.created_at >= $2::timestamptz and event.created_at < $3::timestamptz and ${WANTS_EVENT}
    limit $4::int + 1
  ),${resumedIf('(select count(*) from matching) between 1 and $4')},
  replayed as (
    insert into webhook_deliveries (webhook_id, event_id, workspace_id, stream_id, sequence, due_at)
    select webhook_id, id, workspace_id, stream_id, sequence, now() from resumed, matching
    on conflict (webhook_id, event_id) do update set ${DUE_AGAIN}
    returning webhook_id
  )
  select (select count(*)::int from matching) as found, (select count(*)::int from replayed) as replayed`,
};

/**
 * Where in a workspace's log the events from this time begin. Positions rise with time, so a binary search needs about
 * forty lookups, however long the log is.
 * @returns the position of the first event from this time on; null if there is none
 */
export async function findLogPosition(db: Db, workspaceId: string, at: Date): Promise<number | null> {
  const next = async (position: number) => {
    const [row] = await inPipeline(db, (send) => send<LogPlace>(NEXT_EVENT, [workspaceId, position]));
    return row ?? null;
  };
  let found = await inPipeline(db, (send) => send<LogPlace>(LAST_EVENT, [workspaceId])).then(([row]) => row ?? null);
  if (found === null || found.created_at < at) return null;
  let low = 0;
  let high = found.position;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    found = await next(middle);
    if (found === null || found.created_at >= at) high = middle;
    else low = found.position + 1;
  }
  return high;
}

type LogPlace = { position: number; created_at: Date };

const NEXT_EVENT: Statement = {
  name: 'next_event',
  text: `
  select position, created_at from events where workspace_id = $1::uuid and position >= $2::bigint
  order by position limit 1`,
};

const LAST_EVENT: Statement = {
  name: 'last_event',
  text: 'select position, created_at from events where workspace_id = $1::uuid and position >= 0 order by position desc limit 1',
};
