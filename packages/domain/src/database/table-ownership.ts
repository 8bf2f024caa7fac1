/**
 * Where the rows of each table would be if the service had several cells: ordinary Postgres databases, each with the
 * workspaces that were assigned to it (docs/decisions/0038). Every table that is not listed here belongs to one
 * workspace, by its column `workspace_id`. A test checks this against the schema, so that nothing makes cells impossible
 * by accident: a statement may join tables of one workspace, and it may join the directory's tables with each other.
 */

/** Needed before the workspace is known, or shared by several workspaces. They would be in one database for all cells. */
export const directoryTables = [
  'workspaces',
  'users',
  'memberships',
  'invitations',
  'sessions',
  'mailed_links',
  'api_keys',
] as const;

/**
 * Unique among all workspaces, so a cell would have to claim the value in the directory first. The columns of other
 * unique indexes contain the workspace, a random id or a random token.
 */
export const directoryNames = {
  workspaces_slug_key: 'the platform address of a workspace',
  users_email: 'the address that a user logs in with',
  sending_domains_verified: 'the name of a verified domain',
} as const;

/** About a cell as a whole. Each cell has rows of its own. */
export const cellTables = [
  'migrations',
  'incarnation',
  'migration_progress',
  'plan_overrides',
  'sending_stats_cursor',
  'webhook_cursor',
  'unused_objects',
] as const;

/** Belongs to the workspace of the row that a column points to. */
type Parent = { readonly table: string; readonly column: string };

/** Tables without `workspace_id`. A row whose column is null belongs to the cell, such as the platform's DKIM keys. */
export const parentTables: Readonly<Record<string, Parent>> = {
  domain_keys: { table: 'sending_domains', column: 'domain_id' },
  webhook_secrets: { table: 'webhooks', column: 'webhook_id' },
  webhook_states: { table: 'webhooks', column: 'webhook_id' },
  feedback_reports: { table: 'emails', column: 'email_id' },
};
