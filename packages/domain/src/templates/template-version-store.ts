import {
  type ListPage,
  listColumns,
  listSizedPage,
  type Pagination,
  readTextsApart,
} from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import {
  type DeclaredVariable,
  describeVariables,
  type Template,
  type TemplateSource,
  type TemplateVariable,
} from './template.js';

/** A version in a list. It does not contain the bodies, because a page of them could be very large. */
export type VersionSummary = {
  readonly templateId: string;
  readonly version: number;
  readonly subject: string;
  readonly variables: readonly TemplateVariable[];
  readonly createdAt: Date;
};

export type VersionRecord = VersionSummary & Readonly<TemplateSource>;

const summaryColumns = listColumns('template_versions', 'templateId version subject variables declared createdAt');

/**
 * One page of a template's versions, newest first. Version numbers are the cursors. The page ends early if the versions
 * have many variables.
 * @returns null when the workspace has no such template, or has deleted it
 */
export async function listVersions(
  db: Knex,
  workspaceId: string,
  templateId: string,
  pagination: Pagination,
): Promise<ListPage<VersionSummary> | null> {
  if (!(await isLive(db, workspaceId, templateId))) return null;
  const query = db('template_versions')
    .select(summaryColumns)
    .where({ workspace_id: workspaceId, template_id: templateId });
  return listSizedPage<SummaryRow, VersionSummary>(db, query, pagination, {
    bytes: 'octet_length(subject) + octet_length(variables::text) + octet_length(declared::text)',
    toItem: describeRow,
    column: 'version',
  });
}

/** @returns null when the workspace has no such template or version, or has deleted the template */
export async function findVersionRecord(
  db: Knex,
  workspaceId: string,
  templateId: string,
  version: number,
): Promise<VersionRecord | null> {
  if (!(await isLive(db, workspaceId, templateId))) return null;
  const query = db('template_versions')
    .select(summaryColumns)
    .where({ workspace_id: workspaceId, template_id: templateId, version });
  const [row] = await readTextsApart<SummaryRow & Bodies>(query, ['htmlBody', 'textBody']);
  return row ? describeRow(row) : null;
}

async function isLive(db: Knex, workspaceId: string, id: string): Promise<boolean> {
  const row = await db('templates').select('id').where({ workspace_id: workspaceId, id, deleted_at: null }).first();
  return row !== undefined;
}

type VariablesRow = { variables: string[]; declared: DeclaredVariable[] };

type SummaryRow = VariablesRow & Omit<VersionSummary, 'variables'>;

type Bodies = Pick<TemplateSource, 'htmlBody' | 'textBody'>;

function describeRow<Row extends VariablesRow>({ declared, ...row }: Row) {
  return { ...row, variables: describeVariables(row.variables, declared) };
}

/** A template that a request refers to. */
export type TemplateRef = { readonly workspaceId: string; readonly id: string };

/** @returns the current version of each template; null if there is no such template */
export async function readCurrentVersions(db: Knex, templates: readonly TemplateRef[]): Promise<Array<number | null>> {
  const { rows } = await db.raw(
    `select templates.version
     from unnest(?::uuid[], ?::uuid[]) with ordinality as requested (workspace_id, id, position)
     left join templates
       on templates.workspace_id = requested.workspace_id and templates.id = requested.id and deleted_at is null
     order by position`,
    [templates.map(({ workspaceId }) => workspaceId), templates.map(({ id }) => id)],
  );
  return rows.map((row: { version: number | null }) => row.version);
}

/**
 * Reads one version, even if its template has been deleted since.
 * @param workspaceId the workspace of the email; test mail uses the templates of the live workspace
 */
export async function readTemplateSource(
  db: Knex,
  workspaceId: string,
  id: string,
  version: number,
): Promise<(TemplateSource & Pick<Template, 'variables'>) | null> {
  const query = db('template_versions')
    .select('subject', 'variables', 'declared')
    .where({ template_id: id, version })
    .whereRaw('workspace_id = (select coalesce(test_of, id) from workspaces where id = ?)', [workspaceId]);
  const [row] = await readTextsApart<TemplateSource & VariablesRow>(query, ['htmlBody', 'textBody']);
  return row ? describeRow(row) : null;
}

/** A version that is no longer one of the newest. */
export type OldVersion = { readonly version: number; readonly createdAt: Date; readonly replacedAt: Date };

/** How many of the oldest versions an update checks. Emails are deleted oldest first, so these become unused first. */
const MAX_OLDEST_VERSIONS = 50;

/**
 * The version that has just become an old one, and the oldest versions. @param newest the newest of the old versions
 */
export async function listOldVersions(
  trx: Knex,
  { workspaceId, id }: TemplateRef,
  newest: number,
): Promise<OldVersion[]> {
  const { rows } = await trx.raw(
    `select version, created_at as "createdAt", replaced_at as "replacedAt"
     from (
       select version, created_at, lead(created_at) over (order by version) as replaced_at,
         row_number() over (order by version) as position
       from template_versions where workspace_id = :workspaceId and template_id = :id
     ) as versions
     where version <= :newest and (version = :newest or position <= :maxOldest)`,
    { workspaceId, id, newest, maxOldest: MAX_OLDEST_VERSIONS },
  );
  return rows;
}

/** Every version of a deleted template. The last one was replaced when the template was deleted. */
export async function listVersionTimes(
  trx: Knex,
  { workspaceId, id }: TemplateRef,
  deletedAt: Date,
): Promise<OldVersion[]> {
  const { rows } = await trx.raw(
    `select version, created_at as "createdAt",
       coalesce(lead(created_at) over (order by version), :deletedAt::timestamptz) as "replacedAt"
     from template_versions where workspace_id = :workspaceId and template_id = :id`,
    { workspaceId, id, deletedAt },
  );
  return rows;
}

/** The range of ids that emails with this version can have. */
type VersionUses = { readonly version: number; readonly firstEmailId: string; readonly lastEmailId: string };

/**
 * Deletes the given versions that no email uses. To find an email, the statement reads the index of the template's
 * emails between two ids. The row comparisons and the order keep Postgres from choosing another index, as in
 * email-list-store.ts.
 */
export async function deleteUnusedVersions(
  trx: Knex,
  { workspaceId, id }: TemplateRef,
  versions: readonly VersionUses[],
): Promise<void> {
  await trx.raw(
    `with unused as materialized (
       select version from unnest(:versions::int[], :firstIds::uuid[], :lastIds::uuid[]) as old (version, first_id, last_id)
       where not exists (
         select from workspaces, lateral (
           select id from emails
           where template_id is not null and template_version = old.version
             and (workspace_id, template_id, id) >= (workspaces.id, :id::uuid, old.first_id)
             and (workspace_id, template_id, id) <= (workspaces.id, :id::uuid, old.last_id)
           order by workspace_id, template_id, id limit 1
         ) as email
         where workspaces.id = :workspaceId or workspaces.test_of = :workspaceId
       )
     )
     delete from template_versions using unused
     where workspace_id = :workspaceId and template_id = :id and template_versions.version = unused.version`,
    {
      workspaceId,
      id,
      versions: versions.map(({ version }) => version),
      firstIds: versions.map(({ firstEmailId }) => firstEmailId),
      lastIds: versions.map(({ lastEmailId }) => lastEmailId),
    },
  );
}
