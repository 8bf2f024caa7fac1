import { Box, Stack, Text } from '@mantine/core';
import type { Bounce, BounceClass, Deliverability, List } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Column, DataTable } from '../ui/data-table';
import { SelectFilter } from '../ui/filters';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { classOptions, describeClass } from './bounce-classes';
import { bouncesQuery, type DeliverabilitySearch } from './queries';

export function ReasonsSection({ bounces }: Pick<Deliverability, 'bounces'>) {
  return (
    <Section title="Why emails bounced" description="In the last 7 days.">
      {bounces.length === 0 ? (
        <Text size="sm" c="dimmed">
          No email has bounced in the last 7 days.
        </Text>
      ) : (
        <DataTable
          verticalSpacing="sm"
          aria-label="Why emails bounced"
          isTopAligned
          rows={bounces}
          rowKey={(bounce) => bounce.class}
          columns={reasonColumns}
        />
      )}
    </Section>
  );
}

const reasonColumns: ReadonlyArray<Column<Deliverability['bounces'][number]>> = [
  { name: 'Reason', cell: (bounce) => <Reason bounceClass={bounce.class} /> },
  {
    name: 'What to do',
    from: 'sm',
    w: '40%',
    cell: (bounce) => <Text size="sm">{describeClass(bounce.class).advice}</Text>,
  },
  {
    name: 'Recipients',
    ta: 'right',
    w: '6rem',
    td: { style: { fontVariantNumeric: 'tabular-nums' } },
    cell: ({ count }) => count.toLocaleString(),
  },
];

function Reason({ bounceClass }: { readonly bounceClass: BounceClass }) {
  const { label, meaning, advice } = describeClass(bounceClass);
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="sm" c="dimmed">
        {meaning}
      </Text>
      <Text size="sm" hiddenFrom="sm">
        {advice}
      </Text>
    </Stack>
  );
}

const page = getRouteApi('/app-layout/deliverability');

/** The recipients that bounced, newest first. */
export function BouncesSection() {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const query = useQuery(bouncesQuery(search));
  const filter = (reason: string) => navigate({ search: { reason: reason || undefined }, resetScroll: false });
  return (
    <Section title="Bounced recipients" description="Newest first, for up to 60 days.">
      <Stack gap="md">
        <Box component="search" maw="24rem">
          <SelectFilter label="Reason" options={classOptions} value={search.reason ?? ''} onChange={filter} />
        </Box>
        <Loaded query={query} skeleton={<TableSkeleton rows={5} />}>
          {(list) => <Bounces list={list} search={search} />}
        </Loaded>
      </Stack>
    </Section>
  );
}

type BouncesProps = { readonly list: List<Bounce>; readonly search: DeliverabilitySearch };

function Bounces({ list: { data, has_more: hasMore }, search }: BouncesProps) {
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {search.reason === undefined ? 'No recipient has bounced.' : 'No recipient has bounced for this reason.'}
      </Text>
    );
  return (
    <>
      <DataTable
        layout="fixed"
        verticalSpacing="sm"
        aria-label="Bounced recipients"
        isTopAligned
        rows={data}
        columns={bounceColumns}
      />
      <Pager what="bounced recipients" cursor={search} hasMore={hasMore} rows={data} />
    </>
  );
}

const bounceColumns: ReadonlyArray<Column<Bounce>> = [
  {
    name: 'Recipient',
    isBreakable: true,
    cell: ({ email_id: id, recipient, reply, created_at, class: bounceClass }) => (
      <Stack gap={2}>
        <TextLink fz="sm" fw={500} to="/emails/$id" params={{ id }}>
          {recipient}
        </TextLink>
        <Box hiddenFrom="sm" fz="sm">
          {describeClass(bounceClass).label} · <RelativeTime value={created_at} />
        </Box>
        {reply !== null && (
          <Text size="xs" ff="monospace" c="dimmed">
            {reply}
          </Text>
        )}
      </Stack>
    ),
  },
  { name: 'Reason', from: 'sm', w: '10rem', cell: (bounce) => describeClass(bounce.class).label },
  { name: 'When', from: 'sm', w: '11rem', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
];
