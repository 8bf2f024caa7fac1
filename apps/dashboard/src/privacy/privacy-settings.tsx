import { Stack, Text, TextInput } from '@mantine/core';
import type { Erasure, List } from '@posthorn/contract';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { OwnersOnly, useIsOwner, useSession } from '../accounts/session';
import { get, listPages, request, toPath, toQueryString } from '../api/request';
import { RowForm, useApiForm } from '../ui/api-form';
import { DownloadButton } from '../ui/buttons';
import { type Column, DataTable } from '../ui/data-table';
import { StatusBadge } from '../ui/facts';
import { toLabel } from '../ui/format';
import { Loaded } from '../ui/loaded';
import { confirm } from '../ui/notify';
import { Section } from '../ui/page';
import { ShowOlderButton } from '../ui/pager';
import { Timestamp } from '../ui/timestamp';

export function PrivacySettings() {
  const { workspace } = useSession();
  if (!useIsOwner()) return <OwnersOnly action="erase recipients and export the workspace" />;
  return (
    <Stack gap="lg">
      <Section
        title="Erase a recipient"
        description="Removes a person's address from every email of this workspace, with the content of those emails."
      >
        <EraseForm />
      </Section>
      <Section
        title="Past erasures"
        description="They do not show the address. A copy of it is kept encrypted, only to repeat the erasure after a backup is restored."
      >
        <ErasureTable />
      </Section>
      <Section
        title="Export"
        description="One file with what this workspace has stored: settings, members, templates, webhooks, emails with their content, events and the audit log. The bytes of attachments, secrets and the deliveries of webhooks are not included. Each line is one JSON object."
      >
        <DownloadButton href={exportPath} download={`${workspace.slug}.ndjson`} label="Download export" size="sm" />
      </Section>
    </Stack>
  );
}

function EraseForm() {
  const { form, onSubmit, ...state } = useApiForm({
    initialValues: { address: '' },
    submit: ({ address }) => request<Erasure>('DELETE', toPath('/api/v1/recipients', address.trim())),
    onDone: () => void form.reset(),
    done: () => 'The recipient is being erased.',
    refresh: [erasuresQuery.queryKey],
  });
  const address = form.values.address.trim();
  const confirmAndSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const confirmed = await confirm({
      title: `Erase ${address}?`,
      text: 'Emails that have this address in To, Cc, Bcc or Reply-To lose their subject, content, tags, attachments and SMTP conversations, for all recipients. If an email has not been sent to this address yet, it is canceled for this address only. Statuses and counts stay. This cannot be undone.',
      action: 'Erase recipient',
    });
    if (confirmed) onSubmit();
  };
  return (
    <RowForm
      {...state}
      onSubmit={confirmAndSubmit}
      action="Erase recipient"
      color="red"
      variant="outline"
      disabled={address === ''}
    >
      <TextInput
        aria-label="Address to erase"
        type="email"
        required
        placeholder="jane@example.com"
        autoComplete="off"
        flex="1 1 14rem"
        maw="28rem"
        {...form.getInputProps('address')}
      />
    </RowForm>
  );
}

/**
 * Past erasures. The API does not return their addresses, which are stored encrypted for repeating them after a
 * restore.
 */
function ErasureTable() {
  const query = useInfiniteQuery(erasuresQuery);
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const erasures = pages.flatMap(({ data }) => data);
        if (erasures.length === 0)
          return (
            <Text size="md" c="dimmed">
              No recipient has been erased yet.
            </Text>
          );
        return (
          <>
            <DataTable scrollBelow={420} aria-label="Erasures" rows={erasures} columns={columns} />
            {query.hasNextPage && (
              <ShowOlderButton
                what="erasures"
                isLoading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const columns: ReadonlyArray<Column<Erasure>> = [
  { name: 'Requested', cell: ({ requested_at }) => <Timestamp value={requested_at} /> },
  {
    name: 'Status',
    cell: ({ status }) => <StatusBadge color={status === 'finished' ? 'teal' : 'blue'} label={toLabel(status)} />,
  },
  { name: 'Emails erased', cell: ({ erased_emails }) => erased_emails },
  { name: 'Still to erase', cell: ({ waiting_emails }) => waiting_emails },
];

const exportPath = '/api/v1/export';

const POLL_MS = 5_000;

/** Newest first. While one is pending, the list is read again every few seconds. */
const erasuresQuery = infiniteQueryOptions({
  queryKey: ['erasures'],
  queryFn: ({ pageParam }) => get<List<Erasure>>(`/api/v1/erasures${toQueryString({ after: pageParam, limit: 20 })}`),
  ...listPages,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ data }) => data.some(({ status }) => status === 'pending')) ? POLL_MS : false,
});
