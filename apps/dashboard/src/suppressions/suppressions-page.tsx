import { Button, Group, Stack } from '@mantine/core';
import type { List, Suppression } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queryString } from '../api/query-string';
import { EmptyState } from '../ui/empty-state';
import { IconDownload, IconPlus, IconUpload } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/table-skeleton';
import { AddDialog } from './add-dialog';
import { ImportDialog } from './import-dialog';
import { suppressionsPath, suppressionsQuery } from './queries';
import { SuppressionFilters } from './suppression-filters';
import { SuppressionTable } from './suppression-table';
import { filtersOf, hasFilters, type SuppressionsSearch } from './suppressions-search';

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
          filters={filtersOf(search)}
          onChange={(filters) => navigate({ to: '/suppressions', search: filters })}
        />
      )}
      <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
        {(list) => (hasNone ? <Nothing>{actions}</Nothing> : <Suppressions list={list} search={search} />)}
      </Loaded>
      <AddDialog opened={dialog === 'add'} onClose={() => show()} />
      <ImportDialog opened={dialog === 'import'} onClose={() => show()} />
    </Page>
  );
}

type ListProps = { readonly list: List<Suppression>; readonly search: SuppressionsSearch };

function Suppressions({ list: { data, has_more }, search }: ListProps) {
  const { after, before } = search;
  if (data.length === 0) {
    return (
      <EmptyState title="No matching suppressions" text="Change the filters, or reset them to see all addresses." />
    );
  }
  return (
    <Stack gap="md">
      <SuppressionTable suppressions={data} />
      <Pager
        what="suppressions"
        cursor={{ after, before }}
        hasMore={has_more}
        first={data[0]?.id}
        last={data.at(-1)?.id}
      />
      <Group>
        <Button
          component="a"
          href={`${suppressionsPath}${queryString({ ...filtersOf(search), format: 'csv' })}`}
          download="suppressions.csv"
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
        >
          Download CSV
        </Button>
      </Group>
    </Stack>
  );
}

function Nothing({ children }: { readonly children: ReactNode }) {
  return (
    <EmptyState
      title="No suppressed addresses yet"
      text="When a mail server says that a mailbox does not exist, its address appears here and gets no more mail. If you come from another service, import its suppression list before you send."
    >
      {children}
    </EmptyState>
  );
}
