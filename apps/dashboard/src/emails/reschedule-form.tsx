import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { fromLocalInput, toLocalInput } from '../ui/local-input';
import { notifyDone } from '../ui/notify';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { emailPath } from './queries';

type Props = {
  readonly email: Email;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSettled: () => void;
};

const HOUR_MS = 3_600_000;

export function RescheduleForm({ opened, onClose, ...rest }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Reschedule email">
      <Fields onClose={onClose} {...rest} />
    </Modal>
  );
}

function Fields({ email, onClose, onSettled }: Omit<Props, 'opened'>) {
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: { scheduled_at: toLocalInput(initialTime(email)) },
    submit: ({ scheduled_at }) =>
      request<Email>('PATCH', emailPath(email.id), { scheduled_at: fromLocalInput(scheduled_at) }).finally(onSettled),
    onDone: () => {
      notifyDone('Email rescheduled.');
      onClose();
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <TextInput
          label="Send at"
          description={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}. At most 30 days from now.`}
          type="datetime-local"
          required
          data-autofocus
          {...form.getInputProps('scheduled_at')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep current time
          </Button>
          <Button type="submit" loading={pending}>
            Reschedule
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}

/** The scheduled time if it is in the future, otherwise one hour from now. */
function initialTime({ scheduled_at: scheduledAt }: Email): Date {
  const inAnHour = new Date(Date.now() + HOUR_MS);
  if (scheduledAt === null) return inAnHour;
  const planned = new Date(scheduledAt);
  return planned.getTime() > Date.now() ? planned : inAnHour;
}
