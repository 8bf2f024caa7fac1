/** Templates, and their versions, which never change. */
export const templates = `
  create table templates (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    name text not null,
    -- The latest version
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    -- Accepted emails still refer to the versions of a deleted template
    deleted_at timestamptz,
    -- When to look whether emails still use the versions of a deleted template
    purge_due_at timestamptz,
    unique (workspace_id, id)
  );
  create index templates_purge_due on templates (purge_due_at) where purge_due_at is not null;
  create index templates_live on templates (workspace_id, id desc) where deleted_at is null;

  create table template_versions (
    workspace_id uuid not null,
    template_id uuid not null,
    version integer not null,
    subject text not null,
    html_body text not null,
    text_body text not null,
    -- Names of the placeholders, in order of first appearance
    variables text[] not null,
    -- Defaults and samples of the variables that have one: [{"name", "default", "sample"}]. They belong to the version,
    -- so an update never changes what an accepted email uses
    declared jsonb not null default '[]',
    created_at timestamptz not null,
    primary key (workspace_id, template_id, version),
    foreign key (workspace_id, template_id) references templates (workspace_id, id) on delete cascade
  );
`;
