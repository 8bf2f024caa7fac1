import { Button } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OwnersOnly } from '../accounts/owners-only';
import { useIsOwner } from '../accounts/workspaces';
import { EmptyState } from '../ui/empty-state';
import { IconPlus } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { TableSkeleton } from '../ui/table-skeleton';
import { CreateKeyDialog } from './create-key-dialog';
import { KeyTable } from './key-table';
import { apiKeysQuery } from './queries';
import { RevokedKeys } from './revoked-keys';

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
        {({ data }) => <Keys keys={data}>{create}</Keys>}
      </Loaded>
      <RevokedKeys />
      <CreateKeyDialog opened={isOwner && creating === 'true'} onClose={() => show()} />
    </Page>
  );
}

function Keys({ keys, children }: { readonly keys: readonly ApiKey[]; readonly children: ReactNode }) {
  if (keys.length > 0) return <KeyTable keys={keys} />;
  return (
    <EmptyState
      title="No API keys yet"
      text="Create a key to send your first email. The key comes with code that you can paste and run, in five languages."
    >
      {children}
    </EmptyState>
  );
}
