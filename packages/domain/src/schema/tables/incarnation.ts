/** Which database this is. */
export const incarnation = `
  -- One row. The id is part of every key in Redis that repeats what Postgres knows. A restore gets a new id, so that
  -- nothing in Redis from before the restore is read again
  create table incarnation (
    is_only boolean primary key default true check (is_only),
    id text not null,
    -- The cluster and the database that the id belongs to. A dump that is restored elsewhere still names the old ones.
    -- null until a process has started, or if Posthorn may not read them
    database text,
    created_at timestamptz not null default now()
  );
  insert into incarnation (id) values (substr(replace(gen_random_uuid()::text, '-', ''), 1, 10));
`;
