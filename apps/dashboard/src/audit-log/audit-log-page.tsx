import { Box, Group, Stack, Text } from '@mantine/core';
import { type AuditChange, type AuditEntry, auditActions, type List } from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { OwnersOnly, useIsOwner } from '../accounts/session';
import { get, toQueryString } from '../api/request';
import { type Column, DataTable } from '../ui/data-table';
import { SelectFilter } from '../ui/filters';
import { listOptions } from '../ui/format';
import { ButtonLink, TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { actionLabels } from './action-labels';

const page = getRouteApi('/app-layout/audit-log');

type AuditLogSearch = ReturnType<typeof page.useSearch>;

const auditLogQuery = ({ after, before, action, actor, target }: AuditLogSearch) =>
  queryOptions({
    queryKey: ['audit-log', after, before, action, actor, target],
    queryFn: () =>
      get<List<AuditEntry>>(`/api/v1/audit-log${toQueryString({ after, before, action, actor, target, limit: 50 })}`),
  });

/** Only the operator sees changes to a plan, because they concern several workspaces. */
const actionOptions = listOptions(
  auditActions.filter((action) => action !== 'plan.limits_changed'),
  (action) => actionLabels[action],
);

export function AuditLogPage() {
  const isOwner = useIsOwner();
  return (
    <Page
      title="Audit log"
      description="Who changed keys, domains, templates, webhooks, suppressions, members and settings, erased a recipient or exported the workspace."
    >
      {isOwner ? <AuditLog /> : <OwnersOnly action="read the audit log" />}
    </Page>
  );
}

function AuditLog() {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const query = useQuery(auditLogQuery(search));
  const { actor, target, action = '' } = search;
  const filter = (chosen: string) => navigate({ search: { actor, target, action: chosen || undefined } });
  return (
    <Stack gap="md">
      <Box component="search" maw="24rem">
        <SelectFilter label="Action" options={actionOptions} value={action} onChange={filter} />
      </Box>
      <Loaded query={query} skeleton={<TableSkeleton rows={10} />}>
        {(list) => (
          <>
            <ActiveFilters search={search} entries={list.data} />
            <Entries list={list} search={search} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

type ActiveFiltersProps = { readonly search: AuditLogSearch; readonly entries: readonly AuditEntry[] };

/** Names the actor and the target of the active filters. The URL has only their ids. */
function ActiveFilters({ search: { actor, target }, entries: [entry] }: ActiveFiltersProps) {
  if (!actor && !target) return null;
  const by = actor && ` by ${entry ? nameActor(entry.actor) : actor}`;
  const to = target && ` to ${entry?.target.label ?? target}`;
  return (
    <Group gap="sm">
      <Text className="breakable">
        Only changes{by}
        {to}
      </Text>
      <ButtonLink
        size="compact-sm"
        variant="default"
        to="/audit-log"
        search={({ action }) => ({ ...(action !== undefined && { action }) })}
      >
        Show all
      </ButtonLink>
    </Group>
  );
}

type EntriesProps = { readonly list: List<AuditEntry>; readonly search: AuditLogSearch };

function Entries({ list: { data, has_more }, search }: EntriesProps) {
  if (data.length === 0) return <Nothing search={search} />;
  return (
    <>
      <EntryTable entries={data} />
      <Pager what="audit log" cursor={search} hasMore={has_more} rows={data} />
    </>
  );
}

function Nothing({ search: { action, actor, target } }: { readonly search: AuditLogSearch }) {
  const isFiltered = action !== undefined || actor !== undefined || target !== undefined;
  if (isFiltered) return <EmptyState title="No matching changes" text="Choose another filter, or show all changes." />;
  return (
    <EmptyState
      title="No changes yet"
      text="Changes to API keys, domains, templates, webhooks, suppressions, members, invitations and the workspace will appear here, with who made them. So will erased recipients and exports."
    />
  );
}

/** The button of a row shows the fields before and after. On narrow screens, all columns are below the first one. */
function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = ({ id }: AuditEntry) =>
    setOpenIds((ids) => new Set(ids.has(id) ? [...ids].filter((open) => open !== id) : [...ids, id]));
  return (
    <DataTable
      isFramed
      verticalSpacing="xs"
      horizontalSpacing="xs"
      aria-label="Audit log"
      rows={entries}
      columns={columns}
      details={{
        label: describeEntry,
        content: (entry) => <EntryDetails entry={entry} />,
        isOpen: ({ id }) => openIds.has(id),
        onToggle: toggle,
        td: { p: 'xs', pb: 'md', bg: 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))' },
      }}
    />
  );
}

const columns: ReadonlyArray<Column<AuditEntry>> = [
  {
    name: 'Action',
    isBreakable: true,
    cell: ({ action, target, actor, ip, created_at }) => (
      <>
        {actionLabels[action]}{' '}
        <Text span inherit fw={600}>
          {target.label}
        </Text>
        <Text hiddenFrom="sm" size="xs" c="dimmed" component="div">
          {nameActor(actor)}
          {ip !== null && `, ${ip}`}, <RelativeTime value={created_at} />
        </Text>
      </>
    ),
  },
  { name: 'Actor', from: 'sm', w: '24%', isBreakable: true, cell: ({ actor }) => nameActor(actor) },
  { name: 'When', from: 'sm', w: '8rem', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
  { name: 'IP address', from: 'sm', w: '18%', isBreakable: true, cell: ({ ip }) => ip ?? '–' },
];

function describeEntry({ action, target }: AuditEntry): string {
  return `${actionLabels[action]} ${target.label}`;
}

function EntryDetails({ entry }: { readonly entry: AuditEntry }) {
  return (
    <Stack gap="sm">
      <DataTable
        aria-label={describeEntry(entry)}
        layout="fixed"
        verticalSpacing={4}
        horizontalSpacing="xs"
        fz="sm"
        isTopAligned
        rows={Object.entries(entry.changes)}
        rowKey={([name]) => name}
        columns={changeColumns}
      />
      <Group gap="md">
        <FilterLinks entry={entry} />
      </Group>
    </Stack>
  );
}

const changeColumns: ReadonlyArray<Column<[string, AuditChange]>> = [
  {
    name: 'Field',
    w: '32%',
    isRowName: true,
    isBreakable: true,
    td: { fw: 500 },
    cell: ([name]) => name.replaceAll('_', ' '),
  },
  { name: 'Before', isBreakable: true, cell: ([name, { from }]) => <Value name={name} value={from} /> },
  { name: 'After', isBreakable: true, cell: ([name, { to }]) => <Value name={name} value={to} /> },
];

function Value({ name, value }: { readonly name: string; readonly value: AuditChange['from'] }) {
  if (value === null || value === '')
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  if (typeof value === 'string' && name.endsWith('_at')) return <Timestamp value={value} mayWrap />;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function FilterLinks({ entry: { actor, target } }: { readonly entry: AuditEntry }) {
  return (
    <>
      {actor.id !== null && (
        <TextLink className="breakable" to="/audit-log" search={{ actor: actor.id ?? undefined }}>
          All changes by {nameActor(actor)}
        </TextLink>
      )}
      <TextLink className="breakable" to="/audit-log" search={{ target: target.id }}>
        All changes to {target.label}
      </TextLink>
    </>
  );
}

function nameActor({ type, label }: AuditEntry['actor']): string {
  switch (type) {
    case 'user':
      return label ?? 'A user';
    case 'api_key':
      return `API key ${label ?? ''}`.trim();
    case 'operator':
      return 'Operator';
    case 'system':
      return 'Posthorn';
    default:
      return type satisfies never;
  }
}
