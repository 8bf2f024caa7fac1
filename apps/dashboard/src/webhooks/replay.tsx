import { Text, TextInput } from '@mantine/core';
import { type ReplayWebhookRequest, replayLimits, type WebhookReplay } from '@posthorn/contract';
import { request, toPath } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { ChangeButton, DialogButton } from '../ui/buttons';
import { readLocalInput, toLocalInput } from '../ui/format';
import { useChange } from '../ui/use-change';
import { buildDeliveryLogKey, webhooksPath } from './queries';

type ReplayButtonProps = { readonly webhookId: string; readonly eventId: string };

export function ReplayButton({ webhookId, eventId }: ReplayButtonProps) {
  const replaying = useChange(describeReplay(webhookId, 'The event was not found.'));
  return <ChangeButton change={replaying} input={{ event_id: eventId }} label="Replay this event" size="xs" />;
}

export function ReplayFailedButton({ webhookId }: { readonly webhookId: string }) {
  const replaying = useChange(describeReplay(webhookId, 'There are no failed or waiting events to replay.'));
  return <ChangeButton change={replaying} input={{ failed: true }} label="Replay all failed" />;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type ReplayPeriodButtonProps = { readonly webhookId: string };

export function ReplayPeriodButton({ webhookId }: ReplayPeriodButtonProps) {
  return (
    <DialogButton label="Replay a period" title="Replay a period">
      {(close) => <ReplayForm webhookId={webhookId} onClose={close} />}
    </DialogButton>
  );
}

function ReplayForm({ webhookId, onClose }: ReplayPeriodButtonProps & { readonly onClose: () => void }) {
  const { change, done, refresh } = describeReplay(webhookId, 'No events of this period match the webhook.');
  // The fields have no seconds, so the minute of the exact limit is already too old.
  const earliest = toLocalInput(new Date(getOldestReplayable().getTime() + MINUTE_MS));
  const { form, ...state } = useApiForm({
    initialValues: {
      from: toLocalInput(new Date(Date.now() - HOUR_MS)),
      // The fields show minutes, and the current one has already begun.
      to: toLocalInput(new Date(Date.now() + MINUTE_MS)),
    },
    submit: ({ from, to }) => change({ from: readLocalInput(from), to: readLocalInput(to) }),
    onDone: onClose,
    done,
    refresh,
  });
  return (
    <DialogForm {...state} action="Replay" onCancel={onClose}>
      <Text>
        Sends all events of a period that the webhook wants, whether or not it has had them before. The period can begin
        at most {replayLimits.days} days ago. The times are in your time zone,{' '}
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
    </DialogForm>
  );
}

/** Sends events again and says how many. @param none what to say if there are none */
function describeReplay(webhookId: string, none: string) {
  return {
    change: (what: ReplayWebhookRequest) =>
      request<WebhookReplay>('POST', `${toPath(webhooksPath, webhookId)}/replay`, what),
    done: ({ events }: WebhookReplay) => describe(events) ?? none,
    refresh: [buildDeliveryLogKey(webhookId)],
  };
}

function describe(events: number): string | null {
  if (events === 0) return null;
  if (events === 1) return '1 event will be sent again.';
  const text = `${events.toLocaleString('en')} events will be sent again.`;
  return events === replayLimits.events ? `${text} There may be more; replay again when these are sent.` : text;
}

const DAY_MS = 86_400_000;

/** Events that were created before this time cannot be replayed. */
export function getOldestReplayable(): Date {
  return new Date(Date.now() - replayLimits.days * DAY_MS);
}
