/** Imports no code and no constants, because what a migration does must never change after its release. */
export const templateDeclarations = {
  name: '0015-template-declarations',
  sql: `
    -- Defaults and samples of the variables that have one: [{"name", "default", "sample"}]. They belong to the version,
    -- so an update never changes what an accepted email uses. Postgres adds the column without rewriting the rows
    alter table template_versions add column declared jsonb not null default '[]';
  `,
};
