import { Group, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { describeStatus, mayBeWithServer } from './email-status';
import { EmailStatusBadge } from './email-status-badge';

/** The email's status and what it means. Screen readers announce changes. */
export function EmailStatusLine({ email }: { readonly email: Email }) {
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap" mt="xs" role="status">
      <EmailStatusBadge status={email.status} />
      {email.mode === 'test' && <StatusBadge color="grape" label="Test" />}
      <Text size="sm" component="div" pt={3}>
        {email.mode === 'test' && 'This is test mail, which is never sent to anyone. '}
        {describeStatus(email.status).description} <NextStep email={email} />
        {mayBeWithServer(email) && <MayBeWithServer />}
      </Text>
    </Group>
  );
}

/** The time of the next automatic step, if it is known. */
function NextStep({
  email: { status, parked, scheduled_at: scheduledAt, next_attempt_at: nextAttemptAt },
}: {
  readonly email: Email;
}) {
  if (parked) {
    return 'The service was restored from a backup, so this email may have been sent before. It waits for the operator.';
  }
  if (status === 'scheduled' && scheduledAt !== null) {
    return (
      <>
        It will be sent <RelativeTime value={scheduledAt} />.
      </>
    );
  }
  if (nextAttemptAt === null) return null;
  return (
    <>
      Next attempt: <RelativeTime value={nextAttemptAt} />.
    </>
  );
}

function MayBeWithServer() {
  return (
    <>
      {' '}
      The result of an attempt is unknown, so a mail server may already have the email. It can no longer be canceled or
      rescheduled.
    </>
  );
}
