import { Box, Stack, Text } from '@mantine/core';
import type { Bounce, List } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded';
import { Pager } from '../ui/pager';
import { Section } from '../ui/section';
import { SelectFilter } from '../ui/select-filter';
import { TableSkeleton } from '../ui/table-skeleton';
import { classOptions } from './bounce-classes';
import { BounceTable } from './bounce-table';
import type { DeliverabilitySearch } from './deliverability-search';
import { bouncesQuery } from './queries';

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

type Props = { readonly list: List<Bounce>; readonly search: DeliverabilitySearch };

function Bounces({ list: { data, has_more: hasMore }, search: { after, before, reason } }: Props) {
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {reason === undefined ? 'No recipient has bounced.' : 'No recipient has bounced for this reason.'}
      </Text>
    );
  return (
    <>
      <BounceTable bounces={data} />
      <Pager
        what="bounced recipients"
        cursor={{ after, before }}
        hasMore={hasMore}
        first={data[0]?.id}
        last={data.at(-1)?.id}
      />
    </>
  );
}
