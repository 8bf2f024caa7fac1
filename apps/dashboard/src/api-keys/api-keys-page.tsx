import { Accordion, Box, Button, Stack, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { OwnersOnly, useIsOwner } from '../accounts/session';
import { request, toPath } from '../api/request';
import { DomainNames } from '../domains/domain-labels';
import { ChangeButton } from '../ui/buttons';
import { Codes } from '../ui/copyable';
import { type Column, DataTable } from '../ui/data-table';
import { Caption, StatusBadge } from '../ui/facts';
import { IconPlus } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';
import { CreateKeyDialog } from './create-key-dialog';
import { apiKeysKey, apiKeysPath, apiKeysQuery, revokedKeysQuery } from './queries';

export function ApiKeysPage() {
  const isOwner = useIsOwner();
  const keys = useQuery(apiKeysQuery);
  const { create: creating } = useSearch({ from: '/app-layout/api-keys' });
  const navigate = useNavigate();
  // The dialog itself asks before a new key is lost, so the router must not ask again when it closes.
  const show = (create?: 'true') =>
    navigate({ to: '/api-keys', search: { create }, replace: true, ignoreBlocker: true });
  const create = isOwner && (
    <Button onClick={() => show('true')} leftSection={<IconPlus size={16} />}>
      Create API key
    </Button>
  );
  const hasSome = keys.data !== undefined && keys.data.data.length > 0;
  return (
    <Page
      title="API keys"
      description="Programs authenticate with API keys. Give each program its own key, with only the scopes it needs."
      actions={hasSome && create}
    >
      <OwnersOnly action="create and revoke keys" />
      <Loaded query={keys} skeleton={<TableSkeleton rows={3} />}>
        {({ data }) =>
          data.length > 0 ? (
            <DataTable isFramed rows={data} columns={isOwner ? [...columns, revokeColumn] : columns} />
          ) : (
            <EmptyState {...nothing}>{create}</EmptyState>
          )
        }
      </Loaded>
      <RevokedKeys />
      <CreateKeyDialog opened={isOwner && creating === 'true'} onClose={() => show()} />
    </Page>
  );
}

const nothing = {
  title: 'No API keys yet',
  text: 'Create a key to send your first email. The key comes with code that you can paste and run, in five languages.',
};

/** On narrow screens, all columns but the status move below the name. */
const columns: ReadonlyArray<Column<ApiKey>> = [
  { name: 'Name', isBreakable: true, cell: (key) => <NameCell apiKey={key} /> },
  { name: 'Status', from: 'xs', cell: (key) => <StatusBadge {...getKeyStatus(key)} /> },
  {
    name: 'Scopes',
    from: 'lg',
    td: { miw: 170 },
    cell: ({ scopes }) => <Codes values={scopes} />,
  },
  { name: 'Last\u00a0used', from: 'lg', cell: (key) => <TimeOrNever value={key.last_used_at} /> },
  { name: 'Expires', from: 'lg', cell: (key) => <TimeOrNever value={key.expires_at} /> },
];

const revokeColumn: Column<ApiKey> = {
  name: 'Revoke',
  isNameHidden: true,
  w: 1,
  cell: (key) => <RevokeButton apiKey={key} />,
};

function NameCell({ apiKey }: { readonly apiKey: ApiKey }) {
  const { name, mode, hint, scopes, created_at, last_used_at, expires_at } = apiKey;
  return (
    <>
      <Text fw={500}>{name}</Text>
      <Text size="xs" c="dimmed" component="div">
        <span>
          <Text span inherit ff="monospace">
            {mode === 'test' ? 'ph_test_…' : 'ph_…'}
            {hint}
          </Text>
          , created <RelativeTime value={created_at} />
        </span>
        <Restrictions apiKey={apiKey} />
        <Box hiddenFrom="xs" my={4}>
          <StatusBadge {...getKeyStatus(apiKey)} />
        </Box>
        <Box hiddenFrom="lg">
          {scopes.join(', ')}
          <br />
          Last used: <TimeOrNever value={last_used_at} />
          <br />
          Expires: <TimeOrNever value={expires_at} />
        </Box>
      </Text>
    </>
  );
}

function Restrictions({ apiKey: { domain_ids: domainIds, networks } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      {domainIds !== null && (
        <div>
          Sends only from <DomainNames ids={domainIds} />
        </div>
      )}
      {networks !== null && <div>Works only from {networks.join(', ')}</div>}
    </>
  );
}

function TimeOrNever({ value }: { readonly value: string | null }) {
  return value === null ? 'never' : <RelativeTime value={value} />;
}

function getKeyStatus({ expires_at }: ApiKey) {
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return isExpired ? { color: 'yellow', label: 'Expired' } : { color: 'green', label: 'Active' };
}

function RevokeButton({ apiKey: { id, name, hint } }: { readonly apiKey: ApiKey }) {
  const revoke = useChange({
    change: () => request('DELETE', toPath(apiKeysPath, id)),
    question: {
      title: `Revoke ${name}?`,
      text: `Programs that use the key ending in ${hint} will lose access within a second. Emails that were already accepted will still be delivered. This cannot be undone.`,
      action: 'Revoke key',
    },
    done: () => `The key ${name} was revoked.`,
    refresh: [apiKeysKey],
  });
  return (
    <ChangeButton
      change={revoke}
      label="Revoke"
      size="compact-sm"
      color="red"
      variant="subtle"
      aria-label={`Revoke ${name}`}
    />
  );
}

function RevokedKeys() {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(revokedKeysQuery);
  const keys = data?.pages.flatMap((page) => page.data) ?? [];
  if (keys.length === 0) return null;
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="revoked">
        <Accordion.Control>Revoked keys ({hasNextPage ? `the newest ${keys.length}` : keys.length})</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            {keys.map(({ id, name, hint, scopes, revoked_at }) => (
              <div key={id}>
                <Text className="breakable">
                  {name}{' '}
                  <Text span ff="monospace" size="xs" c="dimmed">
                    ph_…{hint}
                  </Text>
                </Text>
                <Caption>
                  {scopes.join(', ')}; revoked {revoked_at && <RelativeTime value={revoked_at} />}
                </Caption>
              </div>
            ))}
            {hasNextPage && (
              <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                Show older
              </Button>
            )}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
