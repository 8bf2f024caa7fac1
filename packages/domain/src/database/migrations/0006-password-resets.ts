import { SYSTEM_WORKSPACE_ID } from '../../workspaces/system-workspace.js';
import type { Migration } from '../migration.js';

export const passwordResets: Migration = {
  name: '0006-password-resets',
  sql: `
    create table password_resets (
      -- SHA-256 of the link's token: a copy of this table lets nobody in
      token_hash bytea primary key,
      user_id uuid not null references users (id) on delete cascade,
      expires_at timestamptz not null
    );
    create index password_resets_user on password_resets (user_id);

    -- Sends the links; it has no members, so nobody can read them
    insert into workspaces (id, name, slug, plan_id, limit_overrides)
    values ('${SYSTEM_WORKSPACE_ID}', 'Posthorn', 'no-reply', 'free', '{"monthly": null, "daily": null, "rate": 1000000}');
  `,
};
