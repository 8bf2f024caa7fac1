import { countEvents } from '@posthorn/domain/deliverability';
import type { Context } from '@posthorn/platform';
import { HOUR_MS, newId, toFirstId } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';

type Recipient = {
  readonly address: string;
  /** The events of the recipient, without `email.`, in their order. */
  readonly events: readonly string[];
  readonly bounceClass?: string;
  /** What the events say, by default that a complaint is authenticated. */
  readonly data?: object;
};

type Options = { readonly domainId?: string | null; readonly at?: Date };

/** Stores an email whose recipients have these events. @returns its id */
export async function storeEmailWith(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  recipients: readonly Recipient[],
  { domainId = null, at = new Date() }: Options = {},
): Promise<string> {
  const id = newId();
  const complaints = recipients.filter(({ events: types }) => types.includes('complained'));
  const events = recipients.flatMap(({ address, events: types, data }) =>
    types.map((type) => ({ address, type, data: data ?? (type === 'complained' ? { authenticated: true } : null) })),
  );
  await db.transaction(async (trx) => {
    await trx('emails').insert({
      id,
      workspace_id: workspaceId,
      status: 'sent',
      from_: 'us@example.com',
      from_address: 'us@example.com',
      subject: 'Hello',
      to: recipients.map(({ address }) => address),
      domain_id: domainId,
      recipient_count: recipients.length,
      created_at: at,
      usage_day: '2026-11-22',
    });
    await trx('email_recipients').insert(
      recipients.map(({ address, bounceClass }, position) => ({
        email_id: id,
        workspace_id: workspaceId,
        position,
        kind: 'to',
        address,
        status: 'sent',
        bounce_class: bounceClass ?? null,
        updated_at: at,
      })),
    );
    await trx('events').insert(
      events.map(({ address, type, data }, index) => ({
        id: newId(),
        stream_id: id,
        sequence: index + 1,
        workspace_id: workspaceId,
        type: `email.${type}`,
        recipient: address,
        detail: type === 'bounced' ? '550 refused' : null,
        data,
        created_at: at,
      })),
    );
    for (const { address, data } of complaints)
      await trx('suppressions')
        .insert({
          ...{ id: newId(), workspace_id: workspaceId, address, reason: 'complaint', email_id: id },
          is_authenticated: data === undefined,
        })
        .onConflict()
        .ignore();
  });
  return id;
}

/** Counts until nothing that is committed is left. */
export async function countAll({ db }: Pick<Context, 'db'>, limit = 1_000): Promise<void> {
  await until(async () => {
    await countEvents(db, { limit });
    const [row] = await db('sending_stats_cursor').select({
      isAtEnd: db.raw(
        'not exists (select from events where (events.position, id) > (sending_stats_cursor.position, event_id))',
      ),
    });
    return row.isAtEnd;
  });
}

type StoredCounts = {
  readonly sent: number;
  readonly bounced?: number;
  readonly complained?: number;
  readonly domainId?: string;
};

/** Stores counts as if they had been counted this many hours ago. Every bounce is at a domain of its own. */
export async function storeStats(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  counts: StoredCounts,
  hoursAgo = 1,
): Promise<void> {
  const { sent, bounced = 0, complained = 0, domainId = null } = counts;
  const time = toFirstId(Date.now() - hoursAgo * HOUR_MS).slice(0, 13);
  if (bounced > 0)
    await db('bounces').insert(
      Array.from({ length: bounced }, () => ({
        workspace_id: workspaceId,
        id: time + newId().slice(13),
        email_id: newId(),
        sequence: 1,
        bounce_class: 'bad_mailbox',
      })),
    );
  await db('sending_stats').insert({
    workspace_id: workspaceId,
    domain_id: domainId,
    hour: db.raw(`date_trunc('hour', now(), 'UTC') - ? * interval '1 hour'`, [hoursAgo]),
    sent,
    bounced,
    hard_bounced: 0,
    counted_bounces: bounced,
    complained,
    unauthenticated_complaints: 0,
  });
  await db('reputations').insert({ workspace_id: workspaceId }).onConflict('workspace_id').merge({ is_due: true });
}
