import { Group, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { Timestamp } from '../ui/timestamp';
import { EmailStatusBadge } from './email-status-badge';
import { wordsOf } from './status-words';

/** The state of an email and what it means, told again by screen readers when it changes. */
export function StatusLine({ email }: { readonly email: Email }) {
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap" mt="xs" role="status">
      <EmailStatusBadge status={email.status} />
      <Text size="sm" component="div" pt={3}>
        {wordsOf(email.status).meaning} <When email={email} />
      </Text>
    </Group>
  );
}

/** The next thing that happens by itself, where its time is known. */
function When({
  email: { status, scheduled_at: scheduledAt, next_attempt_at: nextAttemptAt },
}: {
  readonly email: Email;
}) {
  if (status === 'scheduled' && scheduledAt !== null) {
    return (
      <>
        It is sent on <Timestamp value={scheduledAt} />.
      </>
    );
  }
  if (nextAttemptAt === null) return null;
  return (
    <>
      Next attempt: <Timestamp value={nextAttemptAt} exact />.
    </>
  );
}
