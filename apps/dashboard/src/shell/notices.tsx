import { Alert, Box, Stack, Text } from '@mantine/core';
import type { Message } from '@posthorn/contract';
import { sessionQuery, useSession } from '../accounts/session';
import { request } from '../api/request';
import { ChangeButton } from '../ui/buttons';
import { IconMail, IconPlayerPause } from '../ui/icons';
import { InlineLink } from '../ui/links';
import { RelativeTime } from '../ui/timestamp';
import { useChange } from '../ui/use-change';

/** Shown on every page until the user confirms the email address. */
export function UnverifiedNotice() {
  const { user } = useSession();
  const resend = useChange({
    change: () => request<Message>('POST', '/auth/resend-verification'),
    done: ({ detail }) => detail,
    // The address may have been confirmed in another browser.
    refresh: [sessionQuery.queryKey],
  });
  if (user.email_verified) return null;
  return (
    <Box maw="var(--page-width)" mx="auto" mb="lg">
      <Alert role="region" color="orange" title="Confirm your email address" icon={<IconMail />}>
        <Stack gap="sm" align="flex-start">
          <Text className="breakable">
            We emailed a link to {user.email}. Until you open it, you can send email to this address only, and you
            cannot invite anyone.
          </Text>
          <ChangeButton change={resend} label="Send the link again" size="xs" />
        </Stack>
      </Alert>
    </Box>
  );
}

/** Shown on every page while the workspace is paused. */
export function PausedNotice() {
  const { workspace } = useSession();
  if (workspace.paused === null) return null;
  const { since, reason } = workspace.paused;
  return (
    <Box maw="var(--page-width)" mx="auto" mb="lg">
      <Alert role="region" color="red" title="Sending is paused" icon={<IconPlayerPause />}>
        <Stack gap="xs">
          <Text className="breakable">{reason}</Text>
          <Text component="div">
            New emails have been refused since <RelativeTime value={since} />. Emails that were already accepted are
            still sent, and test mail still works.{' '}
            <InlineLink to="/deliverability" c="inherit">
              See what bounced
            </InlineLink>
            , fix the cause, and ask the operator of this service to resume the workspace.
          </Text>
        </Stack>
      </Alert>
    </Box>
  );
}
