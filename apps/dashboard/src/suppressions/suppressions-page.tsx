import { Box, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type List, type Suppression, suppressionReasons } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { toQueryString } from '../api/request';
import { DownloadButton } from '../ui/buttons';
import { type Column, DataTable } from '../ui/data-table';
import { StatusBadge } from '../ui/facts';
import { FilterBar, SelectFilter, TextFilter } from '../ui/filters';
import { listOptions } from '../ui/format';
import { IconPlus, IconUpload } from '../ui/icons';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import {
  type FilterName,
  type SuppressionFilters as Filters,
  hasFilters,
  pickFilters,
  type SuppressionsSearch,
  suppressionsPath,
  suppressionsQuery,
} from './queries';
import { reasons } from './reasons';
import { AddForm, ImportForm, RemoveButton } from './suppression-forms';

const page = getRouteApi('/app-layout/suppressions');

export function SuppressionsPage() {
  const search = page.useSearch();
  const navigate = useNavigate();
  const query = useQuery(suppressionsQuery(search));
  const { dialog, ...rest } = search;
  const show = (next?: SuppressionsSearch['dialog']) =>
    navigate({ to: '/suppressions', search: { ...rest, dialog: next }, replace: true });
  const isFirstPage = search.after === undefined && search.before === undefined;
  const hasNone = query.data?.data.length === 0 && !hasFilters(search) && isFirstPage;
  const actions = (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => show('import')}>
        Import
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={() => show('add')}>
        Suppress address
      </Button>
    </Group>
  );
  return (
    <Page
      title="Suppressions"
      description="Addresses that get no more mail from this workspace. We add addresses that bounce, complain or unsubscribe."
      actions={!hasNone && actions}
    >
      {!hasNone && (
        <SuppressionFilters
          filters={pickFilters(search)}
          onChange={(filters) => navigate({ to: '/suppressions', search: filters })}
        />
      )}
      <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
        {(list) =>
          hasNone ? <EmptyState {...nothing}>{actions}</EmptyState> : <Suppressions list={list} search={search} />
        }
      </Loaded>
      <Modal opened={dialog === 'add'} onClose={() => show()} title="Suppress an address">
        <AddForm onClose={() => show()} />
      </Modal>
      <Modal opened={dialog === 'import'} onClose={() => show()} title="Import suppressions" size="lg">
        <ImportForm onClose={() => show()} />
      </Modal>
    </Page>
  );
}

type SuppressionsProps = { readonly list: List<Suppression>; readonly search: SuppressionsSearch };

function Suppressions({ list: { data, has_more }, search }: SuppressionsProps) {
  if (data.length === 0) {
    return (
      <EmptyState title="No matching suppressions" text="Change the filters, or reset them to see all addresses." />
    );
  }
  return (
    <Stack gap="md">
      <DataTable isFramed layout="fixed" aria-label="Suppressions" isTopAligned rows={data} columns={columns} />
      <Pager what="suppressions" cursor={search} hasMore={has_more} rows={data} />
      <Group>
        <DownloadButton
          href={`${suppressionsPath}${toQueryString({ ...pickFilters(search), format: 'csv' })}`}
          download="suppressions.csv"
          label="Download CSV"
        />
      </Group>
    </Stack>
  );
}

const nothing = {
  title: 'No suppressed addresses yet',
  text: 'When a mail server says that a mailbox does not exist, its address appears here and gets no more mail. If you come from another service, import its suppression list before you send.',
};

type SuppressionFiltersProps = {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
};

function SuppressionFilters({ filters, onChange }: SuppressionFiltersProps) {
  const getFilterProps = (name: FilterName) => ({
    value: filters[name] ?? '',
    onChange: (value: string) => onChange({ ...filters, [name]: value || undefined }),
  });
  return (
    <FilterBar component="search">
      <TextFilter
        label="Address"
        placeholder="jane@example.com"
        type="email"
        check={checkAddress}
        {...getFilterProps('address')}
      />
      <SelectFilter
        label="Reason"
        options={listOptions(suppressionReasons, (reason) => reasons[reason].label)}
        {...getFilterProps('reason')}
      />
      <TextFilter label="Topic" placeholder="newsletter" check={checkTopic} {...getFilterProps('topic')} />
      {hasFilters(filters) && (
        <Button variant="subtle" mt={{ base: 0, sm: 24 }} onClick={() => onChange({})}>
          Reset
        </Button>
      )}
    </FilterBar>
  );
}

function checkAddress(text: string): string | undefined {
  return text === '' || /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'Enter a whole address.';
}

function checkTopic(text: string): string | undefined {
  return /^[a-z0-9_-]{0,64}$/.test(text) ? undefined : 'A topic has only a-z, 0-9, - and _.';
}

const columns: ReadonlyArray<Column<Suppression>> = [
  {
    name: 'Address',
    isBreakable: true,
    cell: (suppression) => (
      <>
        <Text fw={500} {...(suppression.address === null && { c: 'dimmed' })}>
          {suppression.address ?? 'Erased address'}
        </Text>
        <Details suppression={suppression} />
        <Box hiddenFrom="sm" mt={6}>
          <StatusBadge {...reasons[suppression.reason]} />
          <Text size="xs" c="dimmed" mt={4} component="div">
            <RelativeTime value={suppression.created_at} />
          </Text>
        </Box>
      </>
    ),
  },
  { name: 'Reason', from: 'sm', w: '10.5rem', cell: ({ reason }) => <StatusBadge {...reasons[reason]} /> },
  { name: 'Since', from: 'sm', w: '12rem', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
  {
    name: 'Actions',
    isNameHidden: true,
    w: '6.5rem',
    ta: 'right',
    cell: (suppression) => <RemoveButton suppression={suppression} />,
  },
];

function Details({ suppression: { topic, detail, email_id: emailId } }: { readonly suppression: Suppression }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {topic !== null && <div>Only the topic {topic}</div>}
      {detail !== null && <div>{detail}</div>}
      {emailId !== null && (
        <TextLink size="xs" to="/emails/$id" params={{ id: emailId }}>
          Open email
        </TextLink>
      )}
    </Text>
  );
}
