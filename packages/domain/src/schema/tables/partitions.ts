/**
 * The first partitions. Emails, their parts and webhook deliveries are partitioned by an id that begins with the time.
 * So old rows are dropped as whole tables, which gives the disk space back immediately. Workers add and drop partitions
 * (retention/maintain-partitions.ts). The first partition begins at MINVALUE and the last one ends at MAXVALUE, so
 * every id has a partition.
 */
export const partitions = `
  do $$
  declare
    -- A partitioned table has no settings, so each of its partitions does. New ones get those of the last one. By
    -- default, autovacuum would wait until a fifth of a partition's rows are dead, and a partition holds the rows of
    -- weeks. The status of an email and of its recipients changes once, so each of these rows leaves one dead version
    vacuumed_early constant text := 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02';
    boundary constant timestamptz := date_trunc('day', now() + interval '2 days', 'UTC');
    boundary_id constant uuid :=
      rpad(lpad(to_hex((extract(epoch from boundary) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
    divided record;
  begin
    for divided in
      select name, case when settings <> '' then ' with (' || settings || ')' else '' end as storage
      from (values
        ('emails', vacuumed_early),
        ('email_contents', ''),
        ('email_attachments', ''),
        -- Leaves room on each page for the outcomes, so that recording them changes no index
        ('email_recipients', 'fillfactor = 50, ' || vacuumed_early),
        ('email_tags', ''),
        ('delivery_attempts', ''),
        ('events', ''),
        ('webhook_deliveries', '')
      ) as partitioned (name, settings)
    loop
      execute format('create table %I partition of %I for values from (minvalue) to (%L)%s',
        divided.name || '_first', divided.name, boundary_id, divided.storage);
      execute format('create table %I partition of %I for values from (%L) to (maxvalue)%s',
        divided.name || to_char(boundary at time zone 'UTC', '_YYYYMMDD'), divided.name, boundary_id, divided.storage);
    end loop;
  end $$;
`;
