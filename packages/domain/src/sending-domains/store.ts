import type { Knex } from 'knex';

/** `withdrawn`: it was verified once, but its records are gone. */
export type DomainStatus = 'pending' | 'verified' | 'withdrawn';

/** A customer's domain; `name` is lower case and in A-labels. */
export type SendingDomain = {
  id: string;
  workspaceId: string;
  name: string;
  status: DomainStatus;
  createdAt: Date;
  verifiedAt: Date | null;
};

const columns = ['id', 'workspace_id', 'name', 'status', 'created_at', 'verified_at'];

/** @returns false when the workspace has the name already */
export async function insertDomain(db: Knex, domain: SendingDomain): Promise<boolean> {
  const { id, workspaceId, name, status, createdAt, verifiedAt } = domain;
  const inserted = await db('sending_domains')
    .insert({ id, workspace_id: workspaceId, name, status, created_at: createdAt, verified_at: verifiedAt })
    .onConflict(db.raw('(workspace_id, name) where deleted_at is null'))
    .ignore()
    .returning('id');
  return inserted.length > 0;
}

/** Of all workspaces, newest first: for the operator alone. */
export async function listAllDomains(db: Knex): Promise<SendingDomain[]> {
  const rows = await db('sending_domains').select(columns).where({ deleted_at: null }).orderBy('id', 'desc');
  return rows.map(toDomain);
}

export async function findDomain(db: Knex, workspaceId: string, id: string): Promise<SendingDomain | null> {
  const row = await db('sending_domains')
    .select(columns)
    .where({ workspace_id: workspaceId, id, deleted_at: null })
    .first();
  return row ? toDomain(row) : null;
}

/** The host of a `from_`, and whose it ought to be. */
export type AskedSender = { readonly workspaceId: string; readonly host: string };

/** `domain` is null when the workspace has not claimed that host. */
export type SenderDomain = {
  readonly domain: Pick<SendingDomain, 'id' | 'status'> | null;
  /** Whether the workspace has any verified domain. */
  readonly hasVerified: boolean;
};

/** @returns an answer for each, in the same order */
export async function readSenderDomains(db: Knex, asked: readonly AskedSender[]): Promise<SenderDomain[]> {
  const { rows } = await db.raw(
    `select mine.id, mine.status, exists (
       select from sending_domains as any_of_mine
       where any_of_mine.workspace_id = asked.workspace_id and any_of_mine.status = 'verified'
     ) as has_verified
     from unnest(?::uuid[], ?::text[]) with ordinality as asked (workspace_id, host, position)
     left join sending_domains as mine on mine.workspace_id = asked.workspace_id and mine.name = asked.host
       and mine.deleted_at is null
     order by position`,
    [asked.map(({ workspaceId }) => workspaceId), asked.map(({ host }) => host)],
  );
  return rows.map((row: { id: string | null; status: DomainStatus; has_verified: boolean }) => ({
    domain: row.id === null ? null : { id: row.id, status: row.status },
    hasVerified: row.has_verified,
  }));
}

/**
 * Verifying again keeps the first time.
 * @throws the database's unique violation when another workspace has the name verified
 */
export async function setDomainVerified(db: Knex, id: string, now: Date): Promise<SendingDomain | null> {
  const [row] = await db('sending_domains')
    .where({ id, deleted_at: null })
    .update({ status: 'verified', vouched: true, verified_at: db.raw('coalesce(verified_at, ?)', [now]) })
    .returning(columns);
  return row ? toDomain(row) : null;
}

type DomainRow = {
  id: string;
  workspace_id: string;
  name: string;
  status: DomainStatus;
  created_at: Date;
  verified_at: Date | null;
};

function toDomain(row: DomainRow): SendingDomain {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    status: row.status,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
  };
}
