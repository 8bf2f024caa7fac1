/** Imports no code and no constants, because what a migration does must never change after its release. */
export const lateEmails = {
  name: '0012-late-emails',
  sql: `
    -- From this time on, the email may no longer be sent: its expires_at, or 72 hours after it was first due. The
    -- column is null for an email without expires_at that has never been deferred, and the time is then due_at + 72
    -- hours. This keeps emails that are sent at their first attempt out of the index below
    alter table deliveries add column send_before timestamptz;
    update deliveries
      set send_before = least(emails.expires_at, coalesce(emails.scheduled_at, emails.created_at) + interval '72 hours')
      from emails
      where emails.workspace_id = deliveries.workspace_id and emails.id = deliveries.email_id
        and (emails.expires_at is not null or deliveries.attempt > 0);
    create index deliveries_ending on deliveries (send_before)
      where is_due and lease_until is null and send_before is not null;
  `,
};
