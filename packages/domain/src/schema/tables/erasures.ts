/** Whose data was erased. */
export const erasures = `
  -- The journal of erased recipients. A row stays after the work is done, so that the work can be repeated on a
  -- restored database
  create table erasures (
    id uuid primary key,
    -- The live workspace. Its test mail is erased too
    workspace_id uuid not null references workspaces (id) on delete cascade,
    -- Encrypted with the SECRET_KEY that secret_key_id names
    address bytea not null,
    secret_key_id text not null,
    requested_at timestamptz not null,
    -- Emails from this id on were accepted later and are left alone
    below uuid not null,
    -- The transactions that were running when the row was written may still store emails. Nothing is erased until they
    -- have ended
    position bigint not null default event_position(),
    -- What to do next, and where in that step
    step text not null default 'recipients' check (step in ('recipients', 'reply_to', 'responses', 'rest', 'done')),
    is_in_test_mail boolean not null default false,
    place text,
    -- When to go on; null if everything is erased
    due_at timestamptz default now(),
    erased_emails integer not null default 0,
    finished_at timestamptz,
    check ((due_at is null) = (step = 'done') and (finished_at is null) = (due_at is not null))
  );
  create index erasures_by_workspace on erasures (workspace_id, id);
  create index erasures_due on erasures (workspace_id, due_at) where due_at is not null;

  -- The emails of an erasure that is not finished
  create table erasure_emails (
    erasure_id uuid not null references erasures (id) on delete cascade,
    email_id uuid not null,
    workspace_id uuid not null,
    -- null while workers may still need the email
    erased_at timestamptz,
    primary key (erasure_id, email_id)
  );
  create index erasure_emails_left on erasure_emails (erasure_id, email_id) where erased_at is null;
`;
