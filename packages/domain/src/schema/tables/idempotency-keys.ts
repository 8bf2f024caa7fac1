/** Responses that are repeated for the same Idempotency-Key. */
export const idempotencyKeys = `
  -- Keys live for a day and are deleted in the order of their expiry, so all dead rows are at one end of an index
  create table idempotency_keys (
    workspace_id uuid not null,
    key_hash bytea not null,
    fingerprint bytea not null,
    -- The response body, byte for byte
    response text not null,
    expires_at timestamptz not null,
    primary key (workspace_id, key_hash)
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  create index idempotency_keys_expiry on idempotency_keys (expires_at);
`;
