/** Keys are stored as hashes. */
export const apiKeys = `
  create table api_keys (
    id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    name text not null,
    mode text not null default 'live' check (mode in ('live', 'test')),
    secret_hash bytea not null,
    -- The last four characters of the key
    hint text not null,
    scopes text[] not null,
    -- The only sending domains that the key may send from, and the only networks that it works from, in CIDR notation;
    -- null for all
    domain_ids uuid[],
    networks text[],
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  create index api_keys_workspace on api_keys (workspace_id, id desc);
`;
