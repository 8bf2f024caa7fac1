import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Email } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyDone, notifyProblem } from '../ui/notify';
import { isChangeable } from './email-status';
import { emailPath, emailsKey } from './queries';
import { RescheduleForm } from './reschedule-form';

/** Reschedules or cancels an email that no worker is sending. */
export function EmailActions({ email }: { readonly email: Email }) {
  const queryClient = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const refresh = () => queryClient.invalidateQueries({ queryKey: emailsKey });
  const cancel = useMutation({
    mutationFn: () => request<Email>('POST', `${emailPath(email.id)}/cancel`),
    onSuccess: () => notifyDone('Email canceled.'),
    onError: notifyProblem,
    // Refreshes after an error too, because the email's status may have changed.
    onSettled: refresh,
  });
  const confirmCancel = async () => {
    if (await confirm(cancelQuestion(email))) cancel.mutate();
  };
  return (
    <>
      {isChangeable(email) && (
        <>
          <Button variant="default" onClick={open}>
            Reschedule
          </Button>
          <Button variant="default" onClick={confirmCancel} loading={cancel.isPending}>
            Cancel email
          </Button>
        </>
      )}
      {/* Stays open when a worker picks up the email in the meantime, to show that it is too late. */}
      <RescheduleForm email={email} opened={opened} onClose={close} onSettled={refresh} />
    </>
  );
}

function cancelQuestion({ mode, recipients }: Email) {
  const isPartlySent = recipients.some(({ status }) => status === 'sent' || status === 'delivered');
  // Test mail is not counted, so nothing is credited back.
  const [theirs, its] =
    mode === 'test' ? ['', ''] : [', and their sends are credited back', ', and its sends are credited back'];
  return {
    title: 'Cancel this email?',
    text: isPartlySent
      ? `Recipients who already have it will keep it. The others will not get it${theirs}.`
      : `It will not be sent${its}. This cannot be undone.`,
    action: 'Cancel email',
    dismiss: 'Keep email',
  };
}
