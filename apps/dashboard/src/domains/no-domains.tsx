import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../accounts/session';
import { EmptyState } from '../ui/empty-state';

/** What a domain is good for, and what happens without one. */
export function NoDomains({ children }: { readonly children: ReactNode }) {
  const { workspace } = useSession();
  return (
    <EmptyState
      title="No domain yet"
      text={
        <Stack gap="xs" mb="sm">
          <Text inherit>
            With a domain of yours, mail comes from your own addresses, and its signature proves that to receivers. You
            add a few records to its DNS.
          </Text>
          <Text inherit>
            Until then everything is sent from <Code className="breakable">{workspace.platform_sender}</Code>, whatever
            the sender that a request asks for.
          </Text>
        </Stack>
      }
    >
      {children}
    </EmptyState>
  );
}
