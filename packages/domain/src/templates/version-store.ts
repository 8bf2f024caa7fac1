import type { Knex } from 'knex';
import type { Template, TemplateSource } from './template.js';

/** A template that a request names. */
export type AskedTemplate = { readonly workspaceId: string; readonly id: string };

/** @returns for each template asked for its current version, null where there is none */
export async function readCurrentVersions(db: Knex, asked: readonly AskedTemplate[]): Promise<Array<number | null>> {
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
