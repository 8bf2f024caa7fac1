import { Box } from '@mantine/core';
import { useSession } from '../accounts/session';
import { exampleCommand } from '../api-keys/example-command';
import { Copyable } from '../ui/copyable';

/** A command that sends a first email, once the user has filled in a key. */
export function FirstEmailCommand() {
  const { user } = useSession();
  const command = exampleCommand({ key: 'YOUR_KEY', scopes: ['emails:send'], recipient: user.email });
  return (
    <Box ta="left" w="100%">
      <Copyable block value={command} what="the command" />
    </Box>
  );
}
