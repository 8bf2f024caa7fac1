import { Button, Stack, Text } from '@mantine/core';
import type { Message, RejectSignUpRequest } from '@posthorn/contract';
import { useMutation } from '@tanstack/react-query';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyProblem } from '../ui/notify';
import { isInvalidLink } from './invalid-link';

type Props = { readonly token: string; readonly onRejected: () => void; readonly onInvalid: () => void };

/** For people whose address someone else used to sign up. */
export function RejectSignUp({ token, onRejected, onInvalid }: Props) {
  const reject = useMutation({
    mutationFn: () => request<Message>('POST', '/auth/reject-signup', { token } satisfies RejectSignUpRequest),
    onSuccess: onRejected,
    onError: (error) => (isInvalidLink(error) ? onInvalid() : notifyProblem(error)),
  });
  const confirmReject = async () => (await confirm(question)) && reject.mutate();
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        If you did not create an account here, someone else used your address. Do not confirm it. You can delete that
        account instead.
      </Text>
      <Button variant="default" size="xs" loading={reject.isPending} onClick={confirmReject}>
        I did not sign up
      </Button>
    </Stack>
  );
}

const question = {
  title: 'Delete this account?',
  text: 'This deletes the account that was created with your email address, and its workspace with everything in it. This cannot be undone.',
  action: 'Delete account',
};
