import { Group, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { Timestamp } from '../ui/timestamp';
import { StatusBadge } from './status-badge';
import { wordsOf } from './status-words';

/** The state of an email and what it means, told again by screen readers when it changes. */
export function StatusLine({ email: { status, scheduled_at: scheduledAt } }: { readonly email: Email }) {
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap" mt="xs" role="status">
      <StatusBadge status={status} />
      <Text size="sm" component="div" pt={3}>
        {status === 'scheduled' && scheduledAt !== null ? (
          <>
            It is sent on <Timestamp value={scheduledAt} />.
          </>
        ) : (
          wordsOf(status).meaning
        )}
      </Text>
    </Group>
  );
}
