import { Accordion, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Webhook, WebhookAttempt, WebhookDelivery } from '@posthorn/contract';
import { CodeBlock, CopyButton } from '../ui/copyable';
import { Caption } from '../ui/facts';
import { TextLink } from '../ui/links';
import { RelativeTime, TimeWithAge } from '../ui/timestamp';
import { getOldestReplayable, ReplayButton } from './replay';

type DeliveryDetailProps = { readonly webhook: Webhook; readonly delivery: WebhookDelivery };

export function DeliveryDetail({ webhook, delivery }: DeliveryDetailProps) {
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
  return event !== null && new Date(event.created_at) >= getOldestReplayable();
}

function SubjectLink({ delivery: { event } }: Pick<DeliveryDetailProps, 'delivery'>) {
  const data = event?.data ?? {};
  if ('email_id' in data) {
    const id = String(data.email_id);
    return (
      <TextLink to="/emails/$id" params={{ id }}>
        Open email
      </TextLink>
    );
  }
  if ('domain_id' in data) {
    const id = String(data.domain_id);
    return (
      <TextLink to="/domains/$id" params={{ id }}>
        Open domain
      </TextLink>
    );
  }
  return null;
}

function Body({ delivery: { body } }: Pick<DeliveryDetailProps, 'delivery'>) {
  if (body === null) {
    return <Text c="dimmed">The event has been deleted, so its body is no longer available.</Text>;
  }
  return (
    <div>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <div>
          <Title order={3} size="h5">
            Body
          </Title>
          <Caption>Line breaks were added. The button copies the body without them.</Caption>
        </div>
        <CopyButton value={body} what="the body" />
      </Group>
      <CodeBlock>{JSON.stringify(JSON.parse(body), null, 2)}</CodeBlock>
    </div>
  );
}

function DeliveryAttempts({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: WebhookDelivery }) {
  const { attempts, status, next_attempt_at: nextAttemptAt } = delivery;
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        Attempts
      </Title>
      {status === 'pending' && (
        <Text mb="xs" component="div">
          <NextAttempt at={nextAttemptAt} webhook={webhook} />
        </Text>
      )}
      {attempts.length === 0 && status !== 'pending' && <Text>No attempt was made.</Text>}
      <Accordion variant="separated" order={4} chevronPosition="left" defaultValue={String(attempts.length)}>
        {attempts
          .map((attempt, index) => ({ attempt, number: index + 1 }))
          .toReversed()
          .map(({ attempt, number }) => (
            <Accordion.Item key={number} value={String(number)}>
              <Accordion.Control>
                <Text fw={500} component="span" display="block" className="breakable">
                  Attempt {number}: {describeOutcome(attempt)}
                </Text>
                <Text size="xs" c="dimmed" component="span" display="block">
                  <TimeWithAge value={attempt.at} inLink />, took {attempt.ms} ms
                </Text>
              </Accordion.Control>
              <Accordion.Panel>
                <AttemptDetail attempt={attempt} id={delivery.id} webhook={webhook} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
      </Accordion>
    </div>
  );
}

function describeOutcome({ status, error }: WebhookAttempt): string {
  return error ?? `delivered, ${status}`;
}

type AttemptDetailProps = { readonly attempt: WebhookAttempt; readonly id: string; readonly webhook: Webhook };

/** Responses come from anyone's server, so they are shown as text only. */
function AttemptDetail({ attempt, id, webhook }: AttemptDetailProps) {
  const { at, status, response, response_truncated: isTruncated } = attempt;
  return (
    <Stack gap="xs">
      <Caption>
        Request
        {Date.parse(webhook.updated_at) > Date.parse(at) &&
          ' (if the URL has been changed since, it went to the old one)'}
      </Caption>
      <CodeBlock>{formatHeaders(attempt, { id, url: webhook.url })}</CodeBlock>
      {status === null ? (
        <Text>There was no response.</Text>
      ) : (
        <>
          <Caption>
            Response: status {status}
            {response !== '' && isTruncated && '. Only the first 4 kB of the body were stored.'}
          </Caption>
          {response === '' ? <Text>The body was empty.</Text> : <CodeBlock>{response}</CodeBlock>}
        </>
      )}
    </Stack>
  );
}

/** The signature is not stored. */
function formatHeaders({ at }: WebhookAttempt, { id, url }: { readonly id: string; readonly url: string }): string {
  return [
    `POST ${url}`,
    'content-type: application/json',
    'user-agent: Posthorn',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(at) / 1_000)}`,
    'webhook-signature: v1,… (not stored)',
  ].join('\n');
}

export function NextAttempt({ at, webhook: { status } }: { readonly at: string | null; readonly webhook: Webhook }) {
  if (status === 'disabled') return 'Waits until you enable the webhook';
  if (at === null) return null;
  if (Date.parse(at) <= Date.now()) return 'Next attempt: now';
  return (
    <>
      Next attempt: <RelativeTime value={at} />
    </>
  );
}
