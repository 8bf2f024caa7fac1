import { Alert, Box, Stack, Text } from '@mantine/core';
import { useSession } from '../accounts/session';
import { IconPlayerPause } from '../ui/icons';
import { InlineLink } from '../ui/links';
import { RelativeTime } from '../ui/timestamp';

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
