import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { replayLimits } from '@posthorn/contract';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { fromLocalInput, toLocalInput } from '../ui/local-input';
import { ProblemAlert } from '../ui/problem-alert';
import { useApiForm } from '../ui/use-api-form';
import { oldestReplayable } from './oldest-replayable';
import { replay, useOnReplayed } from './use-replay';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Props = { readonly webhookId: string };

export function ReplayPeriodButton({ webhookId }: Props) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Replay a period
      </Button>
      <Modal opened={opened} onClose={close} title="Replay a period">
        <ReplayForm webhookId={webhookId} onClose={close} />
      </Modal>
    </>
  );
}

function ReplayForm({ webhookId, onClose }: Props & { readonly onClose: () => void }) {
  const onReplayed = useOnReplayed(webhookId, 'No events of this period match the webhook.');
  // The fields have no seconds, so the minute of the exact limit is already too old.
  const earliest = toLocalInput(new Date(oldestReplayable().getTime() + MINUTE_MS));
  const { form, problem, pending, onSubmit } = useApiForm({
    initialValues: {
      from: toLocalInput(new Date(Date.now() - HOUR_MS)),
      // The fields show minutes, and the current one has already begun.
      to: toLocalInput(new Date(Date.now() + MINUTE_MS)),
    },
    submit: ({ from, to }) => replay(webhookId, { from: fromLocalInput(from), to: fromLocalInput(to) }),
    onDone: async (replayed) => {
      await onReplayed(replayed);
      onClose();
    },
  });
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">
          Sends all events of a period that the webhook wants, whether or not it has had them before. The period can
          begin at most {replayLimits.days} days ago. The times are in your time zone,{' '}
          {Intl.DateTimeFormat().resolvedOptions().timeZone}.
        </Text>
        <TextInput
          type="datetime-local"
          label="From"
          required
          data-autofocus
          min={earliest}
          {...form.getInputProps('from')}
        />
        <TextInput type="datetime-local" label="To" required min={earliest} {...form.getInputProps('to')} />
        <ProblemAlert error={problem} />
        <FormActions action="Replay" pending={pending} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}
