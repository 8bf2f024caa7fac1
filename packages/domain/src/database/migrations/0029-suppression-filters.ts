/** Imports no code and no constants, because what a migration does must never change after its release. */
export const suppressionFilters = {
  name: '0029-suppression-filters',
  sql: `
    -- Pages of one reason or topic, which may be rare among many suppressions
    create index suppressions_by_reason on suppressions (workspace_id, reason, id);
    create index suppressions_by_topic on suppressions (workspace_id, topic, id) where topic <> '';
  `,
};
