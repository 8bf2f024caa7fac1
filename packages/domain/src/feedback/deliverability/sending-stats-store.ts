import type { Knex } from 'knex';
import type { SendingCounts } from './rates.js';

/** The windows over which rates are reported, in hours. */
export const windows = { '24h': 24, '7d': 168, '30d': 720 } as const;

export type WindowName = keyof typeof windows;

export type WindowCounts = { readonly [Name in WindowName]: SendingCounts };

/** In the order of `windows`. */
export const windowNames = Object.keys(windows) as WindowName[];

/** What `countsOf` returns for each window. */
export function countsByWindow(countsOf: (window: WindowName) => SendingCounts): WindowCounts {
  return Object.fromEntries(windowNames.map((name) => [name, countsOf(name)])) as WindowCounts;
}

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
      counts: countsByWindow(countsOf),
    };
  });
  return domains.toSorted((a, b) => b.counts['30d'].sent - a.counts['30d'].sent);
}

/** What counts for the limits. */
export type CountsForLimits = {
  readonly workspace: SendingCounts;
  /** The workspace's own sending domains. Mail of the platform domain only counts for the workspace. */
  readonly domains: ReadonlyArray<{ readonly name: string; readonly counts: SendingCounts }>;
  /** Whether the operator has resumed the workspace in the last 7 days, so that only what was sent since then counts. */
  readonly isSinceResume: boolean;
};

/**
 * What the workspace has sent in the window that the limits are about: the last 7 days, but only the hours that began
 * after an operator has resumed it.
 */
export async function readCountsForLimits(db: Knex, workspaceId: string): Promise<CountsForLimits> {
  const { rows }: { rows: Array<CountRow & { name: string | null; is_since_resume: boolean }> } = await db.raw(
    `select name, is_since_resume, ${SUMS}
     from (
       select id, coalesce(resumed_at > now() - interval '${windows['7d']} hours', false) as is_since_resume,
         greatest(now() - interval '${windows['7d']} hours', resumed_at) as since
       from workspaces where id = ?
     ) as workspace
     left join sending_stats on sending_stats.workspace_id = workspace.id and hour > since
     left join sending_domains on sending_domains.id = domain_id
     group by name, is_since_resume order by name`,
    [workspaceId],
  );
  return {
    workspace: sumCounts(rows.map(toCounts)),
    domains: rows.flatMap((row) => (row.name === null ? [] : [{ name: row.name, counts: toCounts(row) }])),
    isSinceResume: rows.some((row) => row.is_since_resume),
  };
}

export function sumCounts(all: readonly SendingCounts[]): SendingCounts {
  const total = (field: keyof SendingCounts) => all.reduce((sum, counts) => sum + counts[field], 0);
  return {
    sent: total('sent'),
    bounced: total('bounced'),
    hardBounced: total('hardBounced'),
    complained: total('complained'),
  };
}

/** Deletes the counts of hours before this time. */
export async function deleteStatsBefore(db: Knex, before: Date): Promise<void> {
  await db('sending_stats').where('hour', '<', before).delete();
}

function toCounts(row: CountRow | undefined): SendingCounts {
  if (!row) return NOTHING;
  return { sent: row.sent, bounced: row.bounced, hardBounced: row.hard_bounced, complained: row.complained };
}
