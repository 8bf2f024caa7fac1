import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../accounts/session';
import { EmptyState } from '../ui/empty-state';

export function NoDomains({ children }: { readonly children: ReactNode }) {
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
