import { Box } from '@mantine/core';
import type { SendEmailRequest } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';

/** A first email, ready to be pasted into a terminal once the key is put in. */
export function SendCommand() {
  const { user } = useSession();
  const email: SendEmailRequest = { to: [user.email], subject: 'Hello from Posthorn', text: 'It works.' };
  const lines = [
    `curl ${location.origin}/api/v1/emails`,
    `  -H 'Authorization: Bearer YOUR_KEY'`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${JSON.stringify(email).replaceAll("'", "'\\''")}'`,
  ];
  return (
    <Box ta="left">
      <Copyable block value={lines.join(' \\\n')} what="the command" />
    </Box>
  );
}
