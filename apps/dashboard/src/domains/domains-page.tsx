import { Code, Stack, Text, TextInput } from '@mantine/core';
import type { CreateDomainRequest, Domain } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OwnersOnly, useIsOwner, useSession } from '../accounts/session';
import { request } from '../api/request';
import { DialogForm, useApiForm, verbatim } from '../ui/api-form';
import { DialogButton } from '../ui/buttons';
import { type Column, DataTable } from '../ui/data-table';
import { Caption } from '../ui/facts';
import { IconPlus } from '../ui/icons';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { DomainStatusBadge } from './domain-labels';
import { domainQuery, domainsPath, domainsQuery } from './queries';

export function DomainsPage() {
  const isOwner = useIsOwner();
  const domains = useQuery(domainsQuery);
  const add = isOwner && (
    <DialogButton variant="filled" leftSection={<IconPlus size={16} />} label="Add domain" title="Add a domain">
      {(close) => <AddDomainForm onClose={close} />}
    </DialogButton>
  );
  const hasSome = (domains.data?.length ?? 0) > 0;
  return (
    <Page
      title="Domains"
      description="Send signed emails from your own domain, so that receivers can verify they come from you."
      actions={hasSome && add}
    >
      <OwnersOnly action="add, verify and delete domains" />
      <Loaded query={domains} skeleton={<TableSkeleton rows={3} />}>
        {(all) => (all.length > 0 ? <DataTable isFramed rows={all} columns={columns} /> : <NoDomains>{add}</NoDomains>)}
      </Loaded>
    </Page>
  );
}

const columns: ReadonlyArray<Column<Domain>> = [
  {
    name: 'Domain',
    isBreakable: true,
    cell: (domain) => (
      <>
        <TextLink fw={500} to="/domains/$id" params={{ id: domain.id }}>
          {domain.name}
        </TextLink>
        <RecordCount domain={domain} />
      </>
    ),
  },
  { name: 'Status', cell: ({ status }) => <DomainStatusBadge status={status} /> },
  {
    name: 'Verified since',
    from: 'sm',
    cell: ({ status, verified_at }) => (
      <TimeOrText value={status === 'verified' ? verified_at : null} text="not verified" />
    ),
  },
  { name: 'Last checked', from: 'sm', cell: ({ checked_at }) => <TimeOrText value={checked_at} text="not yet" /> },
];

function TimeOrText({ value, text }: { readonly value: string | null; readonly text: string }) {
  if (value) return <RelativeTime value={value} />;
  return <Text c="dimmed">{text}</Text>;
}

/** Shown until all required records are in place. */
function RecordCount({ domain: { records } }: { readonly domain: Domain }) {
  const required = records.filter((record) => record.required);
  const inPlace = required.filter(({ status }) => status === 'verified');
  if (inPlace.length === required.length) return null;
  return (
    <Caption>
      {inPlace.length} of {required.length} required records are in place
    </Caption>
  );
}

function NoDomains({ children }: { readonly children: ReactNode }) {
  const { workspace } = useSession();
  return (
    <EmptyState
      title="No domains yet"
      text={
        <Stack gap="xs" mb="sm">
          <Text inherit>
            Add a domain to send from your own addresses. We sign your emails, so that receivers can verify them. You
            will need to add a few DNS records.
          </Text>
          <Text inherit>
            Until a domain is verified, all emails come from{' '}
            <Code className="breakable">{workspace.platform_sender}</Code>, even if a request names another sender.
          </Text>
        </Stack>
      }
    >
      {children}
    </EmptyState>
  );
}

function AddDomainForm({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, ...state } = useApiForm({
    initialValues: { name: '' },
    submit: ({ name }) => request<Domain>('POST', domainsPath, { name: name.trim() } satisfies CreateDomainRequest),
    onDone: (domain) => {
      queryClient.setQueryData(domainQuery(domain.id).queryKey, domain);
      void queryClient.invalidateQueries(domainsQuery);
      void navigate({ to: '/domains/$id', params: { id: domain.id } });
    },
  });
  return (
    <DialogForm {...state} action="Add domain" onCancel={onClose}>
      <TextInput
        label="Domain"
        description="The part after the @ in your sender addresses. Add each subdomain separately."
        placeholder="example.com"
        required
        data-autofocus
        {...verbatim}
        inputMode="url"
        {...form.getInputProps('name')}
      />
      <Text>This does not affect email that the domain receives. Next, you will get the DNS records to add.</Text>
    </DialogForm>
  );
}
