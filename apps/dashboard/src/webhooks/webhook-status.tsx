import { Badge, Group, type MantineColor } from '@mantine/core';
import { type DisabledBecause, replayLimits, type Webhook } from '@posthorn/contract';
import { StatusBadge } from '../ui/facts';
import { TextLink } from '../ui/links';
import { RelativeTime } from '../ui/timestamp';

export function WebhookStatusLine({ webhook }: { readonly webhook: Webhook }) {
  const { mode, created_at } = webhook;
  return (
    <Group gap="md" fz="sm" mt="xs">
      <WebhookStatusBadge webhook={webhook} />
      {mode === 'test' && (
        <Badge variant="default" tt="none" fw={500} size="lg" radius="sm">
          Test mail
        </Badge>
      )}
      <span>
        created <RelativeTime value={created_at} />
      </span>
      <TextLink inherit to="/webhooks" search={mode === 'test' ? { mode } : {}}>
        All webhooks
      </TextLink>
    </Group>
  );
}

export function WebhookStatusBadge({ webhook }: { readonly webhook: Webhook }) {
  const { color, label } = getWebhookStatus(webhook);
  return <StatusBadge color={color} label={label} />;
}

type Status = {
  readonly color: MantineColor;
  readonly label: string;
  /** What happened and what to do. null if there is nothing to do. */
  readonly help: string | null;
};

const WAITING = `Once it is enabled, we send missed events from the last ${replayLimits.days} days.`;

const disabled: Readonly<Record<DisabledBecause, Status>> = {
  gone: {
    color: 'red',
    label: 'Disabled: gone',
    help: `Your server returned 410 Gone, so we disabled this webhook. Correct the URL or the server, then enable the webhook. ${WAITING}`,
  },
  failing: {
    color: 'red',
    label: 'Disabled: failing',
    help: `We disabled this webhook because every request has failed for days. Repair the server or correct the URL, then enable the webhook. ${WAITING}`,
  },
};

export function getWebhookStatus({ status, disabled_because: because, failing_since: failing }: Webhook): Status {
  if (because !== null) return disabled[because];
  if (status === 'disabled')
    return { color: 'gray', label: 'Disabled', help: `It gets no events until you enable it. ${WAITING}` };
  if (failing === null) return { color: 'green', label: 'Enabled', help: null };
  return {
    color: 'orange',
    label: 'Failing',
    help: 'The last requests to this webhook failed. The log below shows why. We keep trying, with increasing pauses.',
  };
}
