import type { Context } from '@posthorn/platform';
import { groupCalls } from '@posthorn/platform/batching';
import type { Knex } from 'knex';
import type { SendingDomain } from './sending-domain.js';

/** The host of a `from_` address, and the workspace that sends. */
type SenderQuery = { readonly workspaceId: string; readonly host: string };

/** `domain` is null when the workspace has no domain with that name. */
type SenderDomain = {
  readonly domain: Pick<SendingDomain, 'id' | 'status' | 'trackOpens' | 'trackClicks' | 'hasTrackingHost'> | null;
  /** Whether the workspace has any verified domain. */
  readonly hasVerified: boolean;
};

export type FindSenderDomain = (query: SenderQuery) => Promise<SenderDomain>;

/** Looks up the senders of many requests in one query. */
export function createSenderDomainFinder({ db }: Pick<Context, 'db'>): FindSenderDomain {
  return groupCalls((queries: SenderQuery[]) => readSenderDomains(db, queries), { max: 100, inFlight: 2 });
}

/** @returns one result per query, in the same order */
async function readSenderDomains(db: Knex, queries: readonly SenderQuery[]): Promise<SenderDomain[]> {
  const { rows } = await db.raw(
    `select own.id, own.status, own.track_opens as "trackOpens", own.track_clicks as "trackClicks",
       own.has_tracking_host as "hasTrackingHost", exists (
       select from sending_domains as verified
       where verified.workspace_id = query.workspace_id and verified.status = 'verified'
     ) as "hasVerified"
     from unnest(?::uuid[], ?::text[]) with ordinality as query (workspace_id, host, position)
     left join sending_domains as own on own.workspace_id = query.workspace_id and own.name = query.host
       and own.deleted_at is null
     order by position`,
    [queries.map(({ workspaceId }) => workspaceId), queries.map(({ host }) => host)],
  );
  return rows.map(({ hasVerified, ...domain }: SenderRow) => ({
    domain: domain.id === null ? null : domain,
    hasVerified,
  }));
}

/** The fields of the domain are null if its `id` is. */
type SenderRow = NonNullable<SenderDomain['domain']> & Pick<SenderDomain, 'hasVerified'>;
