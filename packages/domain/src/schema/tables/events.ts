/**
 * One log for everything that clients want to hear about. The events of an email are one stream, with the email's id;
 * every other event is a stream of its own. Rows are partitioned by stream, so an email's events are dropped with the
 * email.
 */
export const events = `
  -- Readers of the log follow its positions. A position is the number of the transaction that wrote the event, so a
  -- transaction that commits late puts its events before others that readers have already seen. Readers therefore stop
  -- at the horizon, the position of the first transaction that is still running. Transaction numbers start over when a
  -- dump is restored in another cluster. The offset then lets positions continue where they stopped
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

  create table events (
    id uuid not null,
    stream_id uuid not null,
    -- Counts the events of the stream from 1
    sequence integer not null,
    workspace_id uuid not null,
    position bigint not null default event_position(),
    type text not null,
    recipient text,
    detail text,
    data jsonb,
    created_at timestamptz not null
  ) partition by range (stream_id);
  create index events_by_workspace on events (workspace_id, position);
  create index events_by_position on events (position);
  create index events_of_domains on events ((data ->> 'domain_id')) where type like 'domain.%';
  -- Last, as for emails
  alter table events add primary key (stream_id, sequence);

  -- The accept transaction writes up to two events for each email. Their ids are derived from the email's by changing
  -- its last digit, because creating and sending other ids would take longer. The first id is always the lower one,
  -- because events of one transaction are read in the order of their ids
  create function first_event_id(email_id uuid) returns uuid language sql immutable as $$
    select (left(email_id::text, 35) || translate(right(email_id::text, 1), '0123456789abcdef', '1000000000000000'))::uuid
  $$;
  create function second_event_id(email_id uuid) returns uuid language sql immutable as $$
    select (left(email_id::text, 35) || translate(right(email_id::text, 1), '0123456789abcdef', 'fffffffffffffffe'))::uuid
  $$;

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
`;
