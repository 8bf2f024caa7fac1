/** Imports no code and no constants, because what a migration does must never change after its release. */
export const movingWorkspaces = {
  name: '0034-moving-workspaces',
  kind: 'expand' as const,
  sql: `
    -- Whether the workspace is being copied to another database ('leaving'), is there ('moved'), or is not complete
    -- here yet ('arriving'); null for all others. moved_to says where it is, in words for its users
    -- Safe: the table has one row per workspace, so checking all rows takes milliseconds
    alter table workspaces add column move_state text check (move_state in ('leaving', 'moved', 'arriving'));
    alter table workspaces add column moved_to text;
  `,
};
