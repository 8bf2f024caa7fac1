import { Anchor, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Webhook, WebhookDelivery } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../ui/copy-button';
import { DeliveryAttempts } from './delivery-attempts';
import { oldestReplayable } from './oldest-replayable';
import { ReplayButton } from './replay-button';

type Props = { readonly webhook: Webhook; readonly delivery: WebhookDelivery };

/** The body and the attempts of a delivery, and what can be done about it. */
export function DeliveryDetail({ webhook, delivery }: Props) {
  return (
    <Stack gap="md">
      <Group gap="md" justify="space-between">
        <Text size="xs" className="breakable">
          webhook-id: <Code>{delivery.id}</Code>
        </Text>
        <Group gap="md">
          <SubjectLink delivery={delivery} />
          {webhook.status === 'enabled' && isReplayable(delivery) && (
            <ReplayButton webhookId={webhook.id} eventId={delivery.id} />
          )}
        </Group>
      </Group>
      <Body delivery={delivery} />
      <DeliveryAttempts webhook={webhook} delivery={delivery} />
    </Stack>
  );
}

function isReplayable({ event }: WebhookDelivery): boolean {
  return event !== null && new Date(event.created_at) >= oldestReplayable();
}

/** A link to the email or domain. */
function SubjectLink({ delivery: { event } }: Pick<Props, 'delivery'>) {
  const data = event?.data ?? {};
  if ('email_id' in data) {
    const { email_id: id } = data;
    return (
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/emails/$id" params={{ id }} />}>
        Open email
      </Anchor>
    );
  }
  if ('domain_id' in data) {
    const { domain_id: id } = data;
    return (
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/domains/$id" params={{ id }} />}>
        Open domain
      </Anchor>
    );
  }
  return null;
}

function Body({ delivery: { body } }: Pick<Props, 'delivery'>) {
  if (body === null) {
    return (
      <Text size="sm" c="dimmed">
        The event has been deleted, so its body is no longer available.
      </Text>
    );
  }
  return (
    <div>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <div>
          <Title order={3} size="h5">
            Body
          </Title>
          <Text size="xs" c="dimmed">
            Line breaks were added. The button copies the body without them.
          </Text>
        </div>
        <CopyButton value={body} what="the body" />
      </Group>
      <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(JSON.parse(body), null, 2)}
      </Code>
    </div>
  );
}
