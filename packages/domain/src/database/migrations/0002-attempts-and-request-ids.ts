/** Imports no code and no constants, because what a migration does must never change after its release. */
export const attemptsAndRequestIds = {
  name: '0002-attempts-and-request-ids',
  sql: `
    -- Every claim raises the attempt number. After 32,767 claims of one email, every claim statement failed.
    -- Changing the type rewrites the table and its indexes: it takes as much free disk space as they occupy, and up to
    -- half a minute per million rows. deferrals stays a smallint, because RETRY_SCHEDULE bounds it
    alter table emails alter column attempt type integer;
    alter table delivery_attempts alter column attempt type integer;

    -- The X-Request-Id of the request that asked for the email, for the worker's log lines; null for the service's
    -- own mail. It is here and not in emails, because this row is never updated
    alter table email_contents add column request_id uuid;
  `,
};
