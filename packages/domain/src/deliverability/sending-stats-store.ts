import type { Knex } from 'knex';
import type { SendingCounts } from './rates.js';

/** The windows over which rates are reported, in hours. */
export const windows = { '24h': 24, '7d': 168, '30d': 720 } as const;

export type WindowName = keyof typeof windows;

export type WindowCounts = { readonly [Name in WindowName]: SendingCounts };

/** What one sending domain of a workspace has sent; `domainId` is null for the platform domain. */
export type DomainCounts = {
  readonly domainId: string | null;
  /** null for the platform domain, and for a domain that was deleted. */
  readonly name: string | null;
  readonly counts: WindowCounts;
};

const NOTHING: SendingCounts = { sent: 0, bounced: 0, hardBounced: 0, complained: 0 };

type StatsRow = { domain_id: string | null; name: string | null; window: WindowName } & CountRow;

type CountRow = { sent: number; bounced: number; hard_bounced: number; complained: number };

const SUMS = `coalesce(sum(sent), 0)::int as sent, coalesce(sum(bounced), 0)::int as bounced,
  coalesce(sum(hard_bounced), 0)::int as hard_bounced, coalesce(sum(complained), 0)::int as complained`;

/** What each domain of a workspace has sent in the windows, those with most recipients first. */
export async function readDomainCounts(db: Knex, workspaceId: string): Promise<DomainCounts[]> {
  const { rows }: { rows: StatsRow[] } = await db.raw(
    `select domain_id, sending_domains.name, windows.name as window, ${SUMS}
     from sending_stats
     join (values ${Object.entries(windows).map(([name, hours]) => `('${name}', ${hours})`)}) as windows (name, hours)
       on hour > now() - hours * interval '1 hour'
     left join sending_domains on sending_domains.id = domain_id
     where sending_stats.workspace_id = ?
     group by domain_id, sending_domains.name, windows.name`,
    [workspaceId],
  );
  const ids = [...new Set(rows.map((row) => row.domain_id))];
  const domains = ids.map((domainId): DomainCounts => {
    const own = rows.filter((row) => row.domain_id === domainId);
    const countsOf = (window: WindowName) => toCounts(own.find((row) => row.window === window));
    return {
      domainId,
      name: own[0]?.name ?? null,
      counts: { '24h': countsOf('24h'), '7d': countsOf('7d'), '30d': countsOf('30d') },
    };
  });
  return domains.toSorted((a, b) => b.counts['30d'].sent - a.counts['30d'].sent);
}

/**
 * What the workspace has sent in the window that the limits are about: the last 7 days, but only the hours that began
 * after an operator has resumed it.
 */
export async function readLimitedCounts(db: Knex, workspaceId: string): Promise<SendingCounts> {
  const { rows } = await db.raw(
    `select ${SUMS} from sending_stats
     where workspace_id = :workspaceId and hour > greatest(
       now() - interval '${windows['7d']} hours', (select resumed_at from workspaces where id = :workspaceId)
     )`,
    { workspaceId },
  );
  return toCounts(rows[0]);
}

/** Deletes the counts of hours before this time. */
export async function deleteStatsBefore(db: Knex, before: Date): Promise<void> {
  await db('sending_stats').where('hour', '<', before).delete();
}

function toCounts(row: CountRow | undefined): SendingCounts {
  if (!row) return NOTHING;
  return { sent: row.sent, bounced: row.bounced, hardBounced: row.hard_bounced, complained: row.complained };
}
