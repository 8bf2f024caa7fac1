/** Imports no code and no constants, because what a migration does must never change after its release. */
export const traceparents = {
  name: '0033-traceparents',
  kind: 'expand' as const,
  sql: `
    -- The W3C traceparent of the request that asked for the email; null for most emails. It is here and not in emails,
    -- because this row is never updated
    alter table email_contents add column traceparent text;
  `,
};
