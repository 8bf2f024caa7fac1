/** Imports no code and no constants, because what a migration does must never change after its release. */
export const testMode = {
  name: '0016-test-mode',
  sql: `
    -- The test mail of a workspace is in a workspace of its own, so no query for live mail can find it
    alter table workspaces add column test_of uuid unique references workspaces (id) on delete cascade;
    alter table api_keys add column mode text not null default 'live' check (mode in ('live', 'test'));

    -- Test mail uses the templates and domains of the live workspace. While that workspace exists, both are only ever
    -- marked as deleted, so no email can lose its template or domain
    do $$
    declare
      name text;
    begin
      for name in
        select conname from pg_constraint
        where conrelid = 'emails'::regclass and contype = 'f'
          and confrelid in ('templates'::regclass, 'sending_domains'::regclass)
      loop
        execute format('alter table emails drop constraint %I', name);
      end loop;
    end $$;
  `,
};
