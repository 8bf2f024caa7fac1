import {
  type ListPage,
  listColumns,
  type Pagination,
  readTextsApart,
  toColumns,
  toPage,
} from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { type DeclaredVariable, describeVariables, listDeclaredVariables, type Template } from './template.js';

/** The maximum total size of the bodies on one page of a list. A page with large templates contains fewer templates. */
const MAX_PAGE_BYTES = 8_000_000;

const columns = [
  ...listColumns('templates', 'id name version createdAt updatedAt'),
  ...listColumns('template_versions', 'subject variables declared'),
];

export async function countTemplates(db: Knex, workspaceId: string): Promise<number> {
  const [row] = await db('templates')
    .where({ workspace_id: workspaceId, deleted_at: null })
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}

/** Writes the template and its first version, in the caller's transaction. */
export async function insertTemplate(trx: Knex, workspaceId: string, template: Template): Promise<void> {
  const { id, name, version, createdAt, updatedAt } = template;
  await trx('templates').insert(toColumns({ id, workspaceId, name, version, createdAt, updatedAt }));
  await insertVersion(trx, workspaceId, template);
}

/** Adds a new version and makes it the current one. */
export async function updateTemplateRow(trx: Knex, workspaceId: string, template: Template): Promise<void> {
  const { id, name, version, updatedAt } = template;
  await trx('templates').where({ workspace_id: workspaceId, id }).update({ name, version, updated_at: updatedAt });
  await insertVersion(trx, workspaceId, template);
}

async function insertVersion(trx: Knex, workspaceId: string, template: Template): Promise<void> {
  const { id: templateId, version, subject, htmlBody, textBody, updatedAt: createdAt } = template;
  const variables = template.variables.map(({ name }) => name);
  const declared = JSON.stringify(listDeclaredVariables(template.variables));
  const content = { subject, htmlBody, textBody, variables, declared };
  await trx('template_versions').insert(toColumns({ workspaceId, templateId, version, ...content, createdAt }));
}

/** @returns null when the workspace has no such template, or has deleted it */
export async function findTemplate(db: Knex, workspaceId: string, id: string): Promise<Template | null> {
  const query = currentTemplates(db, workspaceId).select(columns).where('templates.id', id);
  const [row] = await readTextsApart<TemplateRow>(query, ['htmlBody', 'textBody']);
  return row ? toTemplate(row) : null;
}

/**
 * Keeps other transactions from changing the template until this one ends. Accepting an email does not wait for this
 * lock, because the email's foreign key only needs the template's id to stay the same. The template is locked and then
 * read in a second statement. A single statement that waited for the lock would join the new row with the previous
 * version.
 */
export async function lockTemplate(trx: Knex, workspaceId: string, id: string): Promise<Template | null> {
  await trx('templates').select('id').where({ workspace_id: workspaceId, id }).forNoKeyUpdate();
  return findTemplate(trx, workspaceId, id);
}

/**
 * One page, newest first. It ends early if its content would exceed 8 MB. No index serves the search by name: it reads
 * the names of one workspace, which has at most 500 templates.
 * @param name a part of the name; the search ignores case
 */
export async function listTemplates(
  db: Knex,
  workspaceId: string,
  pagination: Pagination,
  name?: string,
): Promise<ListPage<Template>> {
  const { limit, after, before } = pagination;
  const direction = before === null ? 'desc' : 'asc';
  const sizes = currentTemplates(db, workspaceId)
    .select('templates.id', 'templates.version')
    .select(
      db.raw(
        `sum(octet_length(html_body) + octet_length(text_body) + octet_length(declared::text)) over (order by templates.id ${direction}) as bytes`,
      ),
    )
    .orderBy('templates.id', direction)
    .limit(limit + 1);
  if (after !== null) sizes.where('templates.id', '<', after);
  if (before !== null) sizes.where('templates.id', '>', before);
  // Unlike LIKE, strpos gives no character of the search text a special meaning.
  if (name !== undefined) sizes.whereRaw('strpos(lower(name), lower(?)) > 0', [name]);
  const found = await sizes;
  const ids = found
    .filter(({ bytes }, index) => index < limit && (index === 0 || bytes <= MAX_PAGE_BYTES))
    .map(({ id }) => id);
  const query = currentTemplates(db, workspaceId).select(columns).whereIn('templates.id', ids);
  const rows = await readTextsApart<TemplateRow>(query.orderBy('templates.id', 'desc'), ['htmlBody', 'textBody']);
  return toPage(rows.map(toTemplate), found.length > ids.length, pagination);
}

/** @returns what was deleted; null when there is no such template */
export async function markDeleted(
  db: Knex,
  { workspaceId, id }: { workspaceId: string; id: string },
  { now, purgeDueAt }: { now: Date; purgeDueAt: Date },
): Promise<Pick<Template, 'name' | 'version'> | null> {
  const [deleted] = await db('templates')
    .where({ workspace_id: workspaceId, id, deleted_at: null })
    .update({ deleted_at: now, purge_due_at: purgeDueAt })
    .returning(['name', 'version']);
  return deleted ?? null;
}

type DeletedTemplate = { readonly workspaceId: string; readonly id: string; readonly deletedAt: Date };

/** Deleted templates whose versions may be unused by now. */
export async function lockPurgeable(trx: Knex, now: Date, limit: number): Promise<DeletedTemplate[]> {
  return trx('templates')
    .select(listColumns('templates', 'workspaceId id deletedAt'))
    .where('purge_due_at', '<=', now)
    .orderBy('purge_due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

/** Deletes a template that has no versions left. Otherwise, it is due again at `dueAt`. */
export async function deleteOrPostpone(
  trx: Knex,
  { workspaceId, id }: { workspaceId: string; id: string },
  dueAt: Date,
): Promise<void> {
  const deleted = await trx('templates')
    .where({ workspace_id: workspaceId, id })
    .whereNotExists(trx('template_versions').where({ workspace_id: workspaceId, template_id: id }))
    .delete();
  if (deleted === 0) await trx('templates').where({ workspace_id: workspaceId, id }).update({ purge_due_at: dueAt });
}

/** Each template that is not deleted, with its current version. */
function currentTemplates(db: Knex, workspaceId: string) {
  return db('templates')
    .join('template_versions', {
      'template_versions.workspace_id': 'templates.workspace_id',
      'template_versions.template_id': 'templates.id',
      'template_versions.version': 'templates.version',
    })
    .where({ 'templates.workspace_id': workspaceId, deleted_at: null });
}

type TemplateRow = Omit<Template, 'variables'> & { variables: string[]; declared: DeclaredVariable[] };

function toTemplate({ declared, ...row }: TemplateRow): Template {
  return { ...row, variables: describeVariables(row.variables, declared) };
}
