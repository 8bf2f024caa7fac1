import type { Mode } from '@posthorn/contract';
import type { EventCursor } from '@posthorn/domain/events';
import type { Context } from '@posthorn/platform';
import { type Db, inPipeline, inPipelinedTransaction, type Statement } from '@posthorn/platform/postgres';
import { openSecret } from '@posthorn/platform/secrets';
import { LOCK_WEBHOOK_STATE } from './webhook-state-store.js';

/** A webhook whose lease this worker has. */
export type LeasedWebhook = {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly mode: Mode;
  /** The number of the lease. Changes by a worker whose lease is over are ignored. */
  readonly lease: number;
  /** `whsec_...`, the current one first. */
  readonly secrets: readonly string[];
  /** Every event of the log up to here that the webhook wants has a delivery. */
  readonly place: EventCursor;
  /** How many times results were recorded. */
  readonly revision: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Whether the receiver at this URL has accepted a request. */
  readonly isConfirmed: boolean;
  /** Whether its answers took long a short time ago. */
  readonly isSlow: boolean;
  /** How many emails per minute the workspace may send. */
  readonly ratePerMinute: number;
  /** Whether the address of the workspace's owner is confirmed. */
  readonly hasVerifiedOwner: boolean;
};

/** The slots of a worker, each for one leased webhook. */
export type LeaseSlots = {
  readonly free: number;
  /** How many of them webhooks may get whose receivers are not confirmed yet, and those whose receivers are slow. */
  readonly freeForNew: number;
  readonly freeForSlow: number;
  /** How many slots each workspace has, by its id. */
  readonly held: ReadonlyMap<string, number>;
};

/**
 * Leases enabled webhooks that are due, those of the workspaces with the fewest slots first, and those that have waited
 * longest before others. A workspace gets another slot only while it has fewer than are free. So there is room for the
 * webhooks of others, however slow its own receivers are. A webhook whose secret cannot be decrypted is logged and left
 * out.
 */
export async function leaseWebhooks(
  { config, db, log }: Pick<Context, 'config' | 'db' | 'log'>,
  { free, freeForNew, freeForSlow, held }: LeaseSlots,
): Promise<LeasedWebhook[]> {
  const values = [free, config.leaseSeconds, [...held.keys()], [...held.values()], freeForNew, freeForSlow];
  const rows = await inPipeline(db, (send) => send<LeasedRow>(LEASE, values));
  return rows.flatMap((row) => {
    try {
      return [toLeasedWebhook(config, row)];
    } catch (error) {
      log.error({ error, webhookId: row.id }, 'webhook_secret_not_read');
      return [];
    }
  });
}

type LeasedRow = Omit<LeasedWebhook, 'workspaceId' | 'place' | 'secrets' | 'ratePerMinute'> & {
  /** null for the default. */
  ratePerMinute: number | null;
  workspace_id: string;
  position: string;
  event_id: string;
  /** Encrypted, the current one first. */
  secrets: Array<{ id: string; key_id: string; secret: string }>;
};

function toLeasedWebhook(
  config: Context['config'],
  { workspace_id: workspaceId, position, event_id: eventId, secrets, ...rest }: LeasedRow,
): LeasedWebhook {
  return {
    ...rest,
    workspaceId,
    ratePerMinute: rest.ratePerMinute ?? config.rateLimitPerMinute,
    place: { position, eventId },
    secrets: secrets.map(({ id, key_id: secretKeyId, secret }) =>
      openSecret(config, { secretKeyId, bytes: Buffer.from(secret, 'base64') }, id).toString(),
    ),
  };
}

/** How many due webhooks of each kind to choose from, so that the choice stays cheap however many there are. */
const MAX_DUE = 500;

const IS_DUE_AND_FREE = `
  due_at <= now() and (paused_until is null or paused_until <= now()) and (lease_until is null or lease_until <= now())`;

const IS_SLOW = 'coalesce(slow_until > now(), false)';

/**
 * The due webhooks of one kind. Each kind is read on its own. Otherwise the oldest rows could all be of slow receivers,
 * which may get only a few slots, and the others would not be found behind them.
 */
const selectDue = (kind: string, condition: string, free: string) => `(
    select webhook_id, workspace_id, due_at, coalesce(slots, 0) as slots, '${kind}' as kind,
      ${free}::int as free_for_kind
    from webhook_states join webhooks on webhooks.id = webhook_id
      left join unnest($3::uuid[], $4::int[]) as held (workspace_id, slots) using (workspace_id)
    where ${IS_DUE_AND_FREE} and status = 'enabled' and coalesce(slots, 0) < $1::int and ${condition}
    order by due_at limit case when ${free}::int > 0 then ${MAX_DUE} else 0 end
  )`;

/**
 * `turn` counts the webhooks of a workspace within a kind, and decides which of them get the slots for that kind. `slot`
 * is how many slots the workspace has with this webhook, and `choice` is the position in the order of leasing. Just
 * before, the workspace has `slot - 1`, and `free - choice + 1` are free, which must be more. Another worker may have
 * leased the webhook in the meantime, so the conditions are checked again under the lock.
 */
const LEASE: Statement = {
  name: 'lease_webhooks',
  text: `
  with due as (
    ${selectDue('known', `is_confirmed and not ${IS_SLOW}`, '$1')}
    union all ${selectDue('new', `not is_confirmed and not ${IS_SLOW}`, '$5')}
    union all ${selectDue('slow', IS_SLOW, '$6')}
  ),
  in_turn as (
    select *, slots + row_number() over (partition by kind, workspace_id order by due_at, webhook_id) as turn
    from due
  ),
  in_order as (
    select *, row_number() over (partition by kind order by turn, due_at, webhook_id) as place from in_turn
  ),
  numbered as (
    select webhook_id, due_at,
      slots + row_number() over (partition by workspace_id order by due_at, webhook_id) as slot
    from in_order where place <= free_for_kind
  ),
  chosen as (
    select webhook_id, slot, row_number() over (order by slot, due_at, webhook_id) as choice from numbered
  ),
  locked as (
    select webhook_id from webhook_states
    where webhook_id = any(array(select webhook_id from chosen where slot + choice <= $1 + 1)) and ${IS_DUE_AND_FREE}
    order by webhook_id for update skip locked
  ),
  leased as (
    update webhook_states set lease = lease + 1, lease_until = now() + $2::int * interval '1 second'
    where webhook_id = any(array(select webhook_id from locked))
    returning webhook_id, position::text as position, event_id, revision, lease, failures,
      is_confirmed as "isConfirmed", ${IS_SLOW} as "isSlow"
  )
  select webhooks.id, workspace_id, url, position, event_id, revision, lease, failures, "isConfirmed", "isSlow",
    case when workspaces.test_of is null then 'live' else 'test' end as mode,
    ((coalesce(plan.limit_overrides, '{}') || live.limit_overrides) ->> 'rate')::int as "ratePerMinute",
    live.unverified_owner_id is null as "hasVerifiedOwner",
    (
      select json_agg(
        json_build_object('id', secret.id, 'key_id', secret_key_id, 'secret', encode(secret.secret, 'base64'))
        order by expires_at desc nulls first
      )
      from webhook_secrets as secret where webhook_id = webhooks.id and (expires_at is null or expires_at > now())
    ) as secrets
  from leased join webhooks on webhooks.id = leased.webhook_id join workspaces on workspaces.id = webhooks.workspace_id
    join workspaces as live on live.id = coalesce(workspaces.test_of, workspaces.id)
    left join plan_overrides as plan on plan.plan_id = live.plan_id`,
};

/** @returns the ids of the webhooks whose leases this worker still has */
export async function extendWebhookLeases(
  db: Db,
  leases: ReadonlyArray<{ id: string; lease: number }>,
  leaseSeconds: number,
): Promise<Set<string>> {
  const values = [leases.map(({ id }) => id), leases.map(({ lease }) => lease), leaseSeconds];
  const rows = await inPipeline(db, (send) => send<{ id: string }>(EXTEND, values));
  return new Set(rows.map(({ id }) => id));
}

const EXTEND: Statement = {
  name: 'extend_webhook_leases',
  text: `
  with held as materialized (
    select webhook_id as id
    from webhook_states join unnest($1::uuid[], $2::int[]) as held (id, lease) on webhook_id = held.id
    where webhook_states.lease = held.lease and lease_until > now()
    order by webhook_id for update of webhook_states
  )
  update webhook_states set lease_until = now() + $3::int * interval '1 second'
  where webhook_id = any(array(select id from held))
  returning webhook_id as id`,
};

/** How sending went when a lease ends. */
type LeaseEnd = Pick<LeasedWebhook, 'id' | 'lease' | 'url'> & {
  /** Every event up to here that the webhook wants has a delivery. */
  readonly place: EventCursor;
  /** How many times results were recorded. */
  readonly revision: number;
  /** Requests that failed in a row, up to now. */
  readonly failures: number;
  /** Whether any request of this lease succeeded. */
  readonly hasSucceeded: boolean;
  /** Nothing is sent for so many seconds, whatever is due; 0 for no pause. */
  readonly pauseSeconds: number;
  /** Whether its answers took long. */
  readonly isSlow: boolean;
  /** What is waiting is due after so many seconds, because the limits for its host were reached; otherwise 0. */
  readonly postponeSeconds: number;
};

/** For so long, a receiver whose answers took long counts as slow. */
const SLOW_MINUTES = 10;

/**
 * Gives the webhook back. The row is locked before the second statement looks for what is waiting, so no event that is
 * written in the meantime is missed (fan-out-store.ts).
 * @returns since when every attempt has failed; null if the last one succeeded. Also null, with nothing changed, if the
 *   lease is over or a crash lost results
 */
export async function endWebhookLease(db: Db, ended: LeaseEnd): Promise<Date | null> {
  const { id, lease, url, place, revision, failures, hasSucceeded, pauseSeconds, isSlow, postponeSeconds } = ended;
  const { position, eventId } = place;
  const sent = [failures, pauseSeconds, position, eventId, revision, url, hasSucceeded];
  const values = [id, lease, ...sent, isSlow, postponeSeconds];
  return inPipelinedTransaction(db, async ({ send, commit }) => {
    const [, rows] = await Promise.all([
      send(LOCK_WEBHOOK_STATE, [id]),
      send<{ failing_since: Date | null }>(END, values),
      commit(),
    ]);
    return rows[0]?.failing_since ?? null;
  });
}

/**
 * Whether more events are waiting is decided by their types alone. At worst, the next worker finds nothing to send. The
 * failures of a URL that a user has replaced in the meantime do not count.
 */
const END: Statement = {
  name: 'end_webhook_lease',
  text: `
  update webhook_states
  set lease_until = null, position = $5::bigint, event_id = $6::uuid,
    failures = case when is_current then $3::int else 0 end,
    failing_since = case when is_current and $3 > 0 then coalesce(case when not $9::boolean then failing_since end, now()) end,
    paused_until = case when is_current and $4::float > 0 then now() + $4 * interval '1 second' end,
    is_confirmed = is_confirmed or (is_current and $9),
    slow_until = case when $10::boolean then now() + interval '${SLOW_MINUTES} minutes' else slow_until end,
    due_at = (
      select greatest(next.due_at, now() + $11::float * interval '1 second')
      from (
        select case
          when exists (
            select from webhooks join events on events.workspace_id = webhooks.workspace_id
            where webhooks.id = $1 and events.position >= $5 and (events.position, events.id) > ($5, $6)
              and events.position < (select event_horizon()) and events.type = any(webhooks.events)
          ) then now()
          else (
            select due_at from webhook_deliveries where webhook_id = $1 and due_at is not null order by due_at limit 1
          )
        end as due_at
      ) as next
      where next.due_at is not null
    )
  from (select url = $8::text as is_current from webhooks where id = $1::uuid) as webhook
  where webhook_id = $1 and lease = $2::int and revision = $7::int
  returning failing_since`,
};
