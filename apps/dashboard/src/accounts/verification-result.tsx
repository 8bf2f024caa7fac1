import { Alert, Button, Stack } from '@mantine/core';
import { IconCheck } from '../ui/icons';
import { reloadAllTabs } from './reload-all-tabs';

export function EmailVerified() {
  return (
    <Stack align="flex-start">
      <Alert
        role="status"
        color="green"
        variant="light"
        title="Your email address is confirmed"
        icon={<IconCheck />}
        w="100%"
      >
        You can now send to any address and invite members.
      </Alert>
      {/* A reload, so that every tab reads the new state of the account */}
      <Button onClick={() => reloadAllTabs()}>Go to overview</Button>
    </Stack>
  );
}

export function AccountRejected() {
  return (
    <Alert role="status" title="The account has been deleted" icon={<IconCheck />}>
      Its workspace is gone too, and cannot send you any more email.
    </Alert>
  );
}
