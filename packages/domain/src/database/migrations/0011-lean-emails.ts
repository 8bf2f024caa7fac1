import type { Migration } from '../migration.js';

export const leanEmails: Migration = {
  name: '0011-lean-emails',
  sql: `
    -- In the order of ids, so that a page costs the same however many bear the tag
    create table email_tags (
      workspace_id uuid not null,
      -- 'name:value', as in emails.tags
      tag text not null,
      email_id uuid not null,
      primary key (workspace_id, tag, email_id)
    );
    insert into email_tags (workspace_id, tag, email_id)
      select workspace_id, tag, id from emails, unnest(tags) as tag;
    drop index emails_by_tag;

    -- All columns in one direction: a list is ordered by all of them, and what is found would be sorted otherwise
    drop index emails_by_status;
    create index emails_by_status on emails (workspace_id, status, id);
    drop index emails_by_sender;
    create index emails_by_sender on emails (workspace_id, from_address, id);
    drop index emails_by_template;
    create index emails_by_template on emails (workspace_id, template_id, id) where template_id is not null;
    drop index email_recipients_address;
    create index email_recipients_address on email_recipients (workspace_id, lower(address), email_id);

    -- Checked row by row, they took a quarter of what Postgres did for an email. Each row is written by
    -- the statement that writes or locks its email, from whose row its ids are taken
    alter table emails drop constraint emails_workspace_id_fkey;
    alter table email_contents drop constraint email_contents_workspace_id_email_id_fkey;
    alter table email_recipients drop constraint email_recipients_workspace_id_email_id_fkey;
    alter table delivery_attempts drop constraint delivery_attempts_workspace_id_email_id_fkey;
    alter table email_events drop constraint email_events_workspace_id_email_id_fkey;
    alter table idempotency_keys drop constraint idempotency_keys_workspace_id_fkey;
  `,
};
