import { Alert, Box, Stack, Text } from '@mantine/core';
import type { Message } from '@posthorn/contract';
import { request } from '../api/request';
import { ChangeButton } from '../ui/buttons';
import { IconMail } from '../ui/icons';
import { useChange } from '../ui/use-change';
import { sessionQuery, useSession } from './session';

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
