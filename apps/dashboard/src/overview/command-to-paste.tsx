import { Box } from '@mantine/core';
import { useSession } from '../accounts/session';
import { firstCommand } from '../api-keys/first-command';
import { Copyable } from '../ui/copyable';

/** A first email, ready to be pasted into a terminal once the key is put in. */
export function CommandToPaste() {
  const { user } = useSession();
  const command = firstCommand({ key: 'YOUR_KEY', scopes: ['emails:send'], recipient: user.email });
  return (
    <Box ta="left" w="100%">
      <Copyable block value={command} what="the command" />
    </Box>
  );
}
