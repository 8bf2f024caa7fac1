import { Box } from '@mantine/core';
import { useSession } from '../accounts/session';
import { exampleRequest } from '../api-keys/example-request';
import { CodeSamples } from '../ui/code-samples';

/** Code that sends a first email, once the user has filled in a key. */
export function FirstEmailCode() {
  const { user } = useSession();
  const credential = { key: 'YOUR_KEY' };
  const request = exampleRequest({ credential, scopes: ['emails:send'], recipient: user.email });
  return (
    <Box ta="left" w="100%">
      <CodeSamples request={request} />
    </Box>
  );
}
