/**
 * How many bytes each workspace keeps: the content of files, template versions, suppressions, test mail, the content of
 * large live emails, and the audit log. Triggers count them, so the number is right whatever statement writes or deletes
 * the rows: a route, a clean-up, a cascade or an operator. They run once per statement. Accepting and delivering plain
 * live mail changes none of these tables.
 */
export const storage = `
  -- Up to two rows per live workspace. What its test workspace keeps is counted here too
  create table storage (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    -- Mail has a row of its own, so that accepting it does not wait while a file of the workspace is being stored
    is_mail boolean not null,
    bytes bigint not null,
    primary key (workspace_id, is_mail)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  -- One row per test email and per large live email, so that other live mail pays nothing for being counted. It is
  -- deleted with the email
  create table counted_mail (
    email_id uuid primary key,
    -- The live or the test workspace
    workspace_id uuid not null,
    bytes integer not null,
    -- When to delete a test email. If it is unfinished by then, it is looked at again later. A live email is counted
    -- until this time and never deleted by it; null as long as its content is kept
    kept_until timestamptz
  );
  create index counted_mail_kept_until on counted_mail (kept_until) where kept_until is not null;

  -- A live workspace's own id, or that of the live workspace that a test workspace belongs to. Rows for all workspaces,
  -- such as an operator's suppressions, belong to none and are not counted
  create function count_storage() returns trigger language plpgsql as $$
  begin
    if not exists (select from changed_rows) then return null; end if;
    -- Every statement locks the rows in the same order, so that no two can deadlock
    if tg_op = 'INSERT' then
      execute format(
        'insert into storage (workspace_id, is_mail, bytes)
         select coalesce(test_of, workspaces.id), %L::boolean, sum(%s)
         from changed_rows join workspaces on workspaces.id = changed_rows.workspace_id
         group by 1 order by 1
         on conflict (workspace_id, is_mail) do update set bytes = storage.bytes + excluded.bytes',
        tg_argv[1], tg_argv[0]);
    else
      execute format(
        'with removed as materialized (
           select coalesce(test_of, workspaces.id) as workspace_id, sum(%s) as bytes
           from changed_rows join workspaces on workspaces.id = changed_rows.workspace_id
           group by 1
         ),
         locked as materialized (
           select workspace_id from storage join removed using (workspace_id) where is_mail = %L::boolean
           order by workspace_id for update of storage
         )
         update storage set bytes = storage.bytes - removed.bytes from removed, locked
         where storage.workspace_id = removed.workspace_id and locked.workspace_id = removed.workspace_id
           and is_mail = %L::boolean',
        tg_argv[0], tg_argv[1], tg_argv[1]);
    end if;
    return null;
  end $$;

  do $$
  declare
    counted record;
  begin
    for counted in
      -- What one row counts as, with its share of the indexes. It depends on columns that never change
      select name, size from (values
        -- Content is stored as base64 in lines, which takes 37 % more
        ('blobs', '1000 + ceil(size * 1.37)'),
        ('template_versions', '1000 + octet_length(subject) + octet_length(html_body) + octet_length(text_body) + octet_length(declared::text)'),
        ('suppressions', '1000'),
        ('counted_mail', 'bytes'),
        ('audit_log', '1000 + octet_length(changes::text)')
      ) as sizes (name, size)
    loop
      execute format('create trigger %I after insert on %I referencing new table as changed_rows
        for each statement execute function count_storage(%L, %L)',
        counted.name || '_added', counted.name, counted.size, counted.name = 'counted_mail');
      execute format('create trigger %I after delete on %I referencing old table as changed_rows
        for each statement execute function count_storage(%L, %L)',
        counted.name || '_removed', counted.name, counted.size, counted.name = 'counted_mail');
    end loop;
  end $$;
`;
