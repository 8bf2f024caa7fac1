import type { Migration } from '../migration.js';

export const deletedWorkspaces: Migration = {
  name: '0012-deleted-workspaces',
  sql: `
    create or replace function delete_emails_of_workspace() returns trigger language plpgsql as $$
    begin
      -- Who is storing emails has its counters locked: those are waited for, and found below. Who comes later
      -- finds no counters, and no workspace to make them for
      perform from usage where workspace_id = old.id order by period for update;
      delete from emails where workspace_id = old.id;
      delete from idempotency_keys where workspace_id = old.id;
      return old;
    end $$;
  `,
};
