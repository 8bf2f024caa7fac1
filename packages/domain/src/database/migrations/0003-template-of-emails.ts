/** Imports no code and no constants, because what a migration does must never change after its release. */
export const templateOfEmails = {
  name: '0003-template-of-emails',
  sql: `
    -- Old versions of a template are deleted once no email uses them. With a foreign key to versions, Postgres would
    -- read all emails of the template for each version, because no index leads from a version to its emails. Rows from
    -- before this migration satisfy the new key, because a version refers to its template
    alter table emails drop constraint emails_workspace_id_template_id_template_version_fkey;
    alter table emails add constraint emails_template
      foreign key (workspace_id, template_id) references templates (workspace_id, id) not valid;
  `,
};
