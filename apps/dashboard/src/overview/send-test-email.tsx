import { Button, Stack } from '@mantine/core';
import type { AcceptedEmail, SendEmailRequest } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../accounts/session';
import { request } from '../api/request';
import { emailsPath } from '../emails/get-emails';
import { emailsKey } from '../emails/queries';
import { IconSend } from '../ui/icons';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { usageQuery } from '../usage/queries';

/** Sends a real email to the user, which counts as one send. */
export function SendTestEmail() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request<AcceptedEmail>('POST', emailsPath, testEmail(user.email)),
    onSuccess: () => {
      notifyDone(`Accepted. The email is on its way to ${user.email}.`);
      void queryClient.invalidateQueries({ queryKey: emailsKey });
      void queryClient.invalidateQueries(usageQuery);
    },
  });
  return (
    <Stack gap="sm" align="flex-start">
      <ProblemAlert error={error} />
      <Button
        variant="default"
        leftSection={<IconSend size={16} />}
        onClick={() => mutate()}
        loading={isPending}
        h="auto"
        mih={36}
        styles={{ label: { whiteSpace: 'normal' } }}
      >
        Send a test email to myself
      </Button>
    </Stack>
  );
}

function testEmail(address: string): SendEmailRequest {
  return {
    to: [address],
    subject: 'Hello from Posthorn',
    html: '<h1>It works</h1><p>This email came from your workspace.</p>',
    text: 'It works. This email came from your workspace.',
  };
}
