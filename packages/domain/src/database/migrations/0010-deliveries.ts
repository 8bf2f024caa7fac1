/** Imports no code and no constants, because what a migration does must never change after its release. */
export const deliveries = {
  name: '0010-deliveries',
  sql: `
    -- The queue: one narrow row for each email that is waiting or being sent. It is deleted when the email has its
    -- final status. A worker changes this row with every claim, and the email itself only once
    create table deliveries (
      email_id uuid primary key,
      workspace_id uuid not null,
      -- When the email should be sent: now, at scheduled_at, or after the delay of a retry
      due_at timestamptz not null,
      lease_until timestamptz,
      claimed_at timestamptz,
      -- The number of claims so far. It is also the fencing token: every write of a worker names the attempt it holds
      attempt integer not null default 0,
      -- Attempts that were charged against RETRY_SCHEDULE
      deferrals smallint not null default 0,
      -- Attempts after which a mail server may have the message
      ambiguous_attempts smallint not null default 0,
      -- 0 (high) before 1 (normal) before 2 (bulk)
      priority smallint not null default 1,
      -- Whether workers may claim the email. The others become due when a sweep finds that due_at has passed
      is_due boolean not null,
      check ((lease_until is null) = (claimed_at is null)),
      check (is_due or lease_until is null)
    );
    -- Every row is in exactly one of these indexes. Sweeps find the workspaces with due emails in the first one, so
    -- workspaces whose emails are due later cost nothing
    create index deliveries_due on deliveries (workspace_id, priority, due_at) where is_due and lease_until is null;
    create index deliveries_later on deliveries (date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at)
      where not is_due;
    create index deliveries_leased on deliveries (lease_until) where lease_until is not null;

    insert into deliveries (
      email_id, workspace_id, due_at, lease_until, claimed_at, attempt, deferrals, ambiguous_attempts, is_due
    )
    select emails.id, emails.workspace_id, coalesce(due_at, now()),
      case when status = 'sending' then coalesce(lease_until, now()) end,
      case when status = 'sending' then coalesce(running.started_at, now()) end,
      emails.attempt, deferrals,
      (select count(*) from delivery_attempts where email_id = emails.id and outcome = 'ambiguous'),
      status = 'sending' or coalesce(due_at, now()) <= now()
    from emails
    left join delivery_attempts as running
      on status = 'sending' and running.email_id = emails.id and running.attempt = emails.attempt
    where status in ('queued', 'scheduled', 'deferred', 'sending');

    -- An attempt gets its row when it ends. Until then, the row in deliveries shows that the email is being sent
    delete from delivery_attempts using deliveries
      where delivery_attempts.email_id = deliveries.email_id and delivery_attempts.attempt = deliveries.attempt
        and lease_until is not null;
    update emails set status = case when attempt = 1 then 'queued' else 'deferred' end where status = 'sending';
    alter table delivery_attempts alter column attempt type integer;

    alter table emails add column priority smallint not null default 1, add column expires_at timestamptz;

    drop index emails_due;
    drop index emails_leased;
    alter table emails drop column due_at, drop column attempt, drop column deferrals, drop column lease_until;

    -- Every read and write of an email names its workspace
    alter table emails drop constraint emails_pkey, drop constraint emails_workspace_id_id_key;
    alter table emails add primary key (workspace_id, id);
    -- Leaves room on each page for the outcomes, so that recording them changes no index
    alter table email_recipients set (fillfactor = 50);

    create or replace function delete_parts_of_emails() returns trigger language plpgsql as $$
    begin
      delete from deliveries where email_id in (select id from deleted);
      delete from email_contents where email_id in (select id from deleted);
      delete from email_recipients where email_id in (select id from deleted);
      delete from email_tags using deleted
        where email_tags.workspace_id = deleted.workspace_id and tag = any(deleted.tags) and email_id = deleted.id;
      delete from delivery_attempts where email_id in (select id from deleted);
      delete from email_events where email_id in (select id from deleted);
      return null;
    end $$;
  `,
};
