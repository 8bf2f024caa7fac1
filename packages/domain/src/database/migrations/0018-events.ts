/** Imports no code and no constants, because what a migration does must never change after its release. */
export const events = {
  name: '0018-events',
  sql: `
    -- One log for everything that clients want to hear about. The events of an email are one stream, with the email's
    -- id; every other event is a stream of its own. Rows are partitioned by stream, so an email's events are dropped
    -- with the email
    alter table email_events rename to events;
    alter table events rename column email_id to stream_id;

    do $$
    declare
      part record;
    begin
      for part in
        select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'events'::regclass
      loop
        execute format('alter table %I rename to %I', part.relname, replace(part.relname, 'email_events', 'events'));
      end loop;
    end $$;

    -- Readers of the log follow its positions. A position is the number of the transaction that wrote the event, so a
    -- transaction that commits late puts its events before others that readers have already seen. Readers therefore
    -- stop at the horizon, the position of the first transaction that is still running. Transaction numbers start over
    -- when a dump is restored in another cluster. The offset then lets positions continue where they stopped
    create function event_offset() returns bigint language sql immutable as 'select 0::bigint';
    create function event_position() returns bigint language sql stable as
      'select pg_current_xact_id()::text::bigint + event_offset()';
    -- Transactions in other databases of the cluster write no events, however long they run. They are recognized by the
    -- lock that each transaction holds on its own number. A transaction without a known database counts as ours
    create function event_horizon() returns bigint language sql stable as $$
      select coalesce(
        (
          select running from pg_snapshot_xip(pg_current_snapshot()) as running
          where not exists (
            select from pg_locks join pg_stat_activity using (pid)
            where locktype = 'transactionid' and transactionid = running::xid and mode = 'ExclusiveLock' and granted
              and datid <> (select oid from pg_database where datname = current_database())
          )
          order by running limit 1
        ),
        pg_snapshot_xmax(pg_current_snapshot())
      )::text::bigint + event_offset()
    $$;

    -- The accept transaction writes up to two events for each email. Their ids are derived from the email's by changing
    -- its last digit, because creating and sending other ids would take longer. The first id is always the lower one,
    -- because events of one transaction are read in the order of their ids
    create function first_event_id(email_id uuid) returns uuid language sql immutable as $$
      select (left(email_id::text, 35) || translate(right(email_id::text, 1), '0123456789abcdef', '1000000000000000'))::uuid
    $$;
    create function second_event_id(email_id uuid) returns uuid language sql immutable as $$
      select (left(email_id::text, 35) || translate(right(email_id::text, 1), '0123456789abcdef', 'fffffffffffffffe'))::uuid
    $$;

    -- Older events stay on the pages of their emails, but are not in the log: their position is null
    alter table events add column sequence integer, add column position bigint, add column data jsonb;
    alter table events drop constraint email_events_pkey;
    update events set type = 'email.' || case type when 'rescheduled' then 'scheduled' else type end, sequence = numbered.n
      from (
        select events.id, stream_id,
          row_number() over (partition by stream_id order by events.id) + 1 + (scheduled_at is not null)::int as n
        from events join emails on emails.workspace_id = events.workspace_id and emails.id = stream_id
      ) as numbered
      where events.stream_id = numbered.stream_id and events.id = numbered.id;
    delete from events where sequence is null;
    insert into events (id, stream_id, sequence, workspace_id, type, created_at)
      select first_event_id(id), id, 1, workspace_id, 'email.accepted', created_at from emails;
    insert into events (id, stream_id, sequence, workspace_id, type, created_at)
      select second_event_id(id), id, 2, workspace_id, 'email.scheduled', created_at from emails where scheduled_at is not null;
    alter table events alter column sequence set not null, alter column position set default event_position();
    -- The primary key comes last. While a partition is empty, Postgres expects all of its indexes to cost the same,
    -- and uses the one that was created last
    create index events_by_workspace on events (workspace_id, position);
    create index events_by_position on events (position);
    alter table events add primary key (stream_id, sequence);

    -- The number of events that the email has, which is the sequence of its latest one
    alter table deliveries add column last_sequence integer not null default 1;
    update deliveries set last_sequence = counted.last_sequence
      from (select stream_id, max(sequence) as last_sequence from events group by stream_id) as counted
      where counted.stream_id = deliveries.email_id;

    create index events_of_domains on events ((data ->> 'domain_id')) where type like 'domain.%';
    insert into events (id, stream_id, sequence, workspace_id, type, detail, data, created_at)
      select domain_events.id, domain_events.id, 1, domain_events.workspace_id, 'domain.' || type, detail,
        jsonb_build_object('domain_id', domain_id, 'name', name), domain_events.created_at
      from domain_events join sending_domains on sending_domains.id = domain_id;
    drop table domain_events;

    -- The id of the event's stream. It is always the same for a workspace, period and percentage, so that crossing a
    -- threshold again has no effect. It begins with the time at which the period began, as a UUIDv7 does
    create function usage_event_id(workspace_id uuid, period text, percent integer) returns uuid language sql immutable
    as $$
      select (
        lpad(to_hex((extract(epoch from (left(period || '-01', 10) || 'T00:00:00Z')::timestamptz) * 1000)::bigint), 12, '0')
          || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15)
      )::uuid
      from md5(workspace_id || period || percent) as hash
    $$;

    -- With an array, Postgres looks the ids up in each partition and never scans a partition
    create or replace function delete_parts_of_emails() returns trigger language plpgsql as $$
    declare
      ids uuid[];
    begin
      select array_agg(id) into ids from deleted;
      if ids is null then return null; end if;
      delete from deliveries where email_id = any(ids);
      delete from email_contents where email_id = any(ids);
      delete from email_attachments where email_id = any(ids);
      delete from email_recipients where email_id = any(ids);
      delete from email_tags using deleted
        where email_tags.workspace_id = deleted.workspace_id and tag = any(deleted.tags) and email_id = deleted.id;
      delete from delivery_attempts where email_id = any(ids);
      delete from events where stream_id = any(ids);
      return null;
    end $$;

    create or replace function delete_emails_of_workspace() returns trigger language plpgsql as $$
    begin
      -- An accept transaction locks its usage rows. So locking them here waits for transactions in progress, whose
      -- emails are then deleted below. A later transaction finds no usage rows, and no workspace to create them for
      perform from usage where workspace_id = old.id order by period for update;
      delete from emails where workspace_id = old.id;
      delete from events where workspace_id = old.id;
      delete from idempotency_keys where workspace_id = old.id;
      insert into unused_objects (object_key)
        select object_key from blobs where workspace_id = old.id and object_key is not null;
      return old;
    end $$;
  `,
};
