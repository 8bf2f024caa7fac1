/** What people and keys changed. */
export const auditLog = `
  -- An entry refers to its actor and target by id and by name, not by foreign key, so that it stays readable after they
  -- are deleted. It has no workspace if it concerns all workspaces on a plan
  create table audit_log (
    id uuid primary key,
    workspace_id uuid references workspaces (id) on delete cascade,
    actor_type text not null check (actor_type in ('user', 'api_key', 'operator', 'system')),
    actor_id uuid,
    actor_label text,
    action text not null,
    target_type text not null,
    target_id text not null,
    target_label text not null,
    ip inet,
    changes jsonb not null,
    created_at timestamptz not null
  );
  create index audit_log_by_workspace on audit_log (workspace_id, id);
  -- For the filters of the list: a workspace can have many entries, of which few match
  create index audit_log_by_action on audit_log (workspace_id, action, id);
  create index audit_log_by_actor on audit_log (workspace_id, actor_id, id);
  create index audit_log_by_target on audit_log (workspace_id, target_id, id);
`;
