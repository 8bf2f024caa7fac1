import type { Knex } from 'knex';
import { edgeOf, type ListPage, type Pagination } from '../list-page.js';
import type { Template, TemplateSource } from './template.js';

/** A version among others: without its bodies, of which a page may not hold many. */
export type VersionSummary = {
  readonly templateId: string;
  readonly version: number;
  readonly subject: string;
  readonly variables: readonly string[];
  readonly createdAt: Date;
};

/** All that a version says; whoever sets the template back to it changes the template to these texts. */
export type VersionRecord = VersionSummary & Readonly<TemplateSource>;

const summaryColumns = ['template_id', 'version', 'subject', 'variables', 'created_at'];

/**
 * One page of a template's versions, newest first; their numbers are the cursors.
 * @returns null when the workspace has no such template, or has deleted it
 */
export async function listVersions(
  db: Knex,
  workspaceId: string,
  templateId: string,
  pagination: Pagination,
): Promise<ListPage<VersionSummary> | null> {
  const { limit, after, before } = pagination;
  if (!(await isLive(db, workspaceId, templateId))) return null;
  const query = db('template_versions')
    .select(summaryColumns)
    .where({ workspace_id: workspaceId, template_id: templateId })
    .orderBy('version', before === null ? 'desc' : 'asc')
    .limit(limit + 1);
  if (after !== null) query.where('version', '<', Number(after));
  if (before !== null) query.where('version', '>', Number(before));
  const found = await query;
  const page = found.slice(0, limit).map(toSummary);
  const rows = before === null ? page : page.toReversed();
  const edge = found.length > limit ? edgeOf(rows, pagination) : undefined;
  return { rows, nextCursor: edge ? String(edge.version) : null };
}

/** @returns null when the workspace has no such template or version, or has deleted the template */
export async function findVersionRecord(
  db: Knex,
  workspaceId: string,
  templateId: string,
  version: number,
): Promise<VersionRecord | null> {
  if (!(await isLive(db, workspaceId, templateId))) return null;
  const row = await db('template_versions')
    .select([...summaryColumns, 'html_body', 'text_body'])
    .where({ workspace_id: workspaceId, template_id: templateId, version })
    .first();
  return row ? { ...toSummary(row), htmlBody: row.html_body, textBody: row.text_body } : null;
}

async function isLive(db: Knex, workspaceId: string, id: string): Promise<boolean> {
  const row = await db('templates').select('id').where({ workspace_id: workspaceId, id, deleted_at: null }).first();
  return row !== undefined;
}

type SummaryRow = { template_id: string; version: number; subject: string; variables: string[]; created_at: Date };

function toSummary({ template_id, version, subject, variables, created_at }: SummaryRow): VersionSummary {
  return { templateId: template_id, version, subject, variables, createdAt: created_at };
}

/** A template that a request names. */
export type TemplateRef = { readonly workspaceId: string; readonly id: string };

/** @returns for each template asked for its current version, null where there is none */
export async function readCurrentVersions(db: Knex, asked: readonly TemplateRef[]): Promise<Array<number | null>> {
  const { rows } = await db.raw(
    `select templates.version
     from unnest(?::uuid[], ?::uuid[]) with ordinality as asked (workspace_id, id, position)
     left join templates
       on templates.workspace_id = asked.workspace_id and templates.id = asked.id and deleted_at is null
     order by position`,
    [asked.map(({ workspaceId }) => workspaceId), asked.map(({ id }) => id)],
  );
  return rows.map((row: { version: number | null }) => row.version);
}

/** One version, whether or not its template has been deleted since. */
export async function readTemplateSource(
  db: Knex,
  workspaceId: string,
  id: string,
  version: number,
): Promise<(TemplateSource & Pick<Template, 'variables'>) | null> {
  const row = await db('template_versions')
    .select('subject', 'html_body', 'text_body', 'variables')
    .where({ workspace_id: workspaceId, template_id: id, version })
    .first();
  if (!row) return null;
  return { subject: row.subject, htmlBody: row.html_body, textBody: row.text_body, variables: row.variables };
}
