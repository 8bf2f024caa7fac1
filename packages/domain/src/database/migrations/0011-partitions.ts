/** Imports no code and no constants, because what a migration does must never change after its release. */
export const partitions = {
  name: '0011-partitions',
  sql: `
    -- Emails and their parts are partitioned by the email's id, which is a UUIDv7 and begins with the time. So old
    -- emails are dropped as whole tables, which gives the disk space back immediately. Workers add and drop
    -- partitions. The first one begins at MINVALUE and the last one ends at MAXVALUE, so every id has a partition.
    -- The existing tables become the first partitions. Attaching them reads each table once and rewrites none

    -- The key of a partitioned table must contain the column that it is partitioned by. An event is always read with
    -- its email, so the new key replaces the index, too
    alter table email_events drop constraint email_events_pkey;
    drop index email_events_email;
    alter table email_events add primary key (email_id, id);
    -- A foreign key that is not validated cannot become part of the foreign key of the partitioned table
    alter table emails validate constraint emails_template;
    drop trigger emails_parts on emails;

    do $$
    declare
      divided record;
      index_name text;
      newest uuid;
      newest_ms bigint;
      boundary timestamptz;
      boundary_id uuid;
    begin
      select id into newest from (
        (select id from emails order by id desc limit 1)
        union all (select email_id from email_contents order by email_id desc limit 1)
        union all (select email_id from email_recipients order by email_id desc limit 1)
        union all (select email_id from email_tags order by email_id desc limit 1)
        union all (select email_id from delivery_attempts order by email_id desc limit 1)
        union all (select email_id from email_events order by email_id desc limit 1)
      ) as ids order by id desc limit 1;
      newest_ms := ('x' || left(replace(newest::text, '-', ''), 12))::bit(48)::bigint;
      boundary := date_trunc('day', greatest(now(), to_timestamp(newest_ms / 1000.0)) + interval '2 days', 'UTC');
      boundary_id := rpad(lpad(to_hex((extract(epoch from boundary) * 1000)::bigint), 12, '0'), 32, '0')::uuid;

      for divided in
        select * from (values
          ('emails', 'id'), ('email_contents', 'email_id'), ('email_recipients', 'email_id'),
          ('email_tags', 'email_id'), ('delivery_attempts', 'email_id'), ('email_events', 'email_id')
        ) as divided (name, key)
      loop
        execute format('alter table %I rename to %I', divided.name, divided.name || '_first');
        for index_name in
          select relname from pg_index join pg_class on pg_class.oid = indexrelid
          where indrelid = (divided.name || '_first')::regclass
        loop
          execute format('alter index %I rename to %I', index_name,
            replace(index_name, divided.name, divided.name || '_first'));
        end loop;
        execute format('create table %I (like %I including defaults including constraints) partition by range (%I)',
          divided.name, divided.name || '_first', divided.key);
        -- The primary key comes last. While a partition is empty, Postgres expects all of its indexes to cost the same,
        -- and uses the one that was created last
        case divided.name
          when 'emails' then
            create index emails_by_status on emails (workspace_id, status, id);
            create index emails_by_sender on emails (workspace_id, from_address, id);
            create index emails_by_template on emails (workspace_id, template_id, id) where template_id is not null;
            alter table emails add primary key (workspace_id, id);
            alter table emails add foreign key (workspace_id, domain_id) references sending_domains (workspace_id, id);
            alter table emails add constraint emails_template
              foreign key (workspace_id, template_id) references templates (workspace_id, id);
          when 'email_contents' then
            alter table email_contents add primary key (email_id);
          when 'email_recipients' then
            create index email_recipients_address on email_recipients (workspace_id, lower(address), email_id);
            alter table email_recipients add primary key (email_id, position);
          when 'email_tags' then
            alter table email_tags add primary key (workspace_id, tag, email_id);
          when 'delivery_attempts' then
            alter table delivery_attempts add primary key (email_id, attempt);
          when 'email_events' then
            alter table email_events add primary key (email_id, id);
        end case;
        execute format('alter table %I attach partition %I for values from (minvalue) to (%L)',
          divided.name, divided.name || '_first', boundary_id);
        execute format('create table %I partition of %I for values from (%L) to (maxvalue)',
          divided.name || '_' || to_char(boundary at time zone 'UTC', 'YYYYMMDD'), divided.name, boundary_id);
        -- New partitions get the settings of the last one. By default, autovacuum would wait until a fifth of a
        -- partition's rows are dead, and a partition holds the rows of weeks. The status of an email and of its
        -- recipients changes once, so each of these rows leaves one dead version
        if divided.name in ('emails', 'email_recipients') then
          execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
            divided.name || '_first');
          execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
            divided.name || '_' || to_char(boundary at time zone 'UTC', 'YYYYMMDD'));
        end if;
        -- Leaves room on each page for the outcomes, so that recording them changes no index
        if divided.name = 'email_recipients' then
          execute format('alter table %I set (fillfactor = 50)',
            divided.name || '_' || to_char(boundary at time zone 'UTC', 'YYYYMMDD'));
        end if;
      end loop;
    end $$;

    -- Every row of the queue is changed twice and deleted within seconds, and sweeps step over the dead rows in its
    -- indexes. So a vacuum starts at a fixed number of dead rows, however many emails are waiting, and never pauses
    alter table deliveries set (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
    );
    -- Keys live for a day and are deleted in the order of their expiry, so all dead rows are at one end of an index
    alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
    -- One row per workspace and period, changed by every send. An update stays on its page if old row versions are
    -- removed
    alter table usage set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

    -- For a workspace that keeps content or emails for fewer days than the service does; otherwise null
    alter table workspaces add column content_retention_days integer check (content_retention_days > 0);
    alter table workspaces add column email_retention_days integer check (email_retention_days > 0);
    -- The content of emails up to this id has been checked, and deleted unless the email was unfinished
    alter table workspaces add column content_removed_to uuid;

    -- With an array, Postgres looks the ids up in each partition and never scans a partition
    create or replace function delete_parts_of_emails() returns trigger language plpgsql as $$
    declare
      ids uuid[];
    begin
      select array_agg(id) into ids from deleted;
      if ids is null then return null; end if;
      delete from deliveries where email_id = any(ids);
      delete from email_contents where email_id = any(ids);
      delete from email_recipients where email_id = any(ids);
      delete from email_tags using deleted
        where email_tags.workspace_id = deleted.workspace_id and tag = any(deleted.tags) and email_id = deleted.id;
      delete from delivery_attempts where email_id = any(ids);
      delete from email_events where email_id = any(ids);
      return null;
    end $$;
    create trigger emails_parts after delete on emails
      referencing old table as deleted for each statement execute function delete_parts_of_emails();
  `,
};
