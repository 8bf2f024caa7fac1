/** Imports no code and no constants, because what a migration does must never change after its release. */
export const parkedEmails = {
  name: '0032-parked-emails',
  kind: 'expand' as const,
  indexes: [{ name: 'deliveries_parked', table: 'deliveries', definition: '(email_id) where is_due is null' }],
};
