import type { Migration } from '../migration.js';

export const usage: Migration = {
  name: '0005-usage',
  sql: `
    create table usage (
      workspace_id uuid not null references workspaces (id) on delete cascade,
      -- '2026-11' for a month, '2026-11-21' for a day, both UTC
      period text not null,
      used bigint not null check (used >= 0),
      primary key (workspace_id, period)
    ) with (fillfactor = 50);
  `,
};
