/** Imports no code and no constants, because what a migration does must never change after its release. */
export const feedbackReports = {
  name: '0024-feedback-reports',
  sql: `
    -- Bounces and complaints as they were received. A row is written before the sender gets its 250, so no report is
    -- lost, and processed after that
    create table feedback_reports (
      id uuid primary key,
      -- What the report says it is about: the email and the recipients in the return path that it was sent to. null for
      -- a report to the address for complaints, until it has been read
      email_id uuid,
      positions smallint[],
      -- The envelope sender, which is empty for bounces
      sender text not null,
      -- The beginning of the message; null after a recipient of the email was erased
      raw bytea,
      size integer not null,
      -- Of the recipient and the message. A sender that missed our 250 sends the same report again
      digest bytea not null,
      received_at timestamptz not null default now(),
      -- When to process it; null once that is done
      due_at timestamptz default now(),
      tries integer not null default 0,
      -- What it was and what came of it; null until it has been processed
      kind text,
      result text,
      check ((due_at is null) = (result is not null))
    );
    create unique index feedback_reports_by_digest on feedback_reports (digest);
    create index feedback_reports_due on feedback_reports (due_at) where due_at is not null;
    create index feedback_reports_of_email on feedback_reports (email_id) where email_id is not null;
  `,
};
