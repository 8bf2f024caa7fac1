/** Imports no code and no constants, because what a migration does must never change after its release. */
export const apiKeyRestrictions = {
  name: '0035-api-key-restrictions',
  kind: 'expand' as const,
  sql: `
    alter table api_keys add column domain_ids uuid[], add column networks text[];
  `,
};
