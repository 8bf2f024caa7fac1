import { Accordion, Code, Stack, Text, Title } from '@mantine/core';
import type { Webhook, WebhookAttempt, WebhookDelivery } from '@posthorn/contract';
import { TimeWithAge } from '../ui/timestamp';
import { NextAttempt } from './next-attempt';

type Props = { readonly webhook: Webhook; readonly delivery: WebhookDelivery };

/** The attempts of a delivery, newest first, the newest one open. */
export function DeliveryAttempts({ webhook, delivery }: Props) {
  const { attempts, status, next_attempt_at: nextAttemptAt } = delivery;
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        Attempts
      </Title>
      {status === 'pending' && (
        <Text size="sm" mb="xs" component="div">
          <NextAttempt at={nextAttemptAt} webhook={webhook} />
        </Text>
      )}
      {attempts.length === 0 && status !== 'pending' && <Text size="sm">No attempt was made.</Text>}
      <Accordion variant="separated" order={4} chevronPosition="left" defaultValue={String(attempts.length)}>
        {attempts
          .map((attempt, index) => ({ attempt, number: index + 1 }))
          .toReversed()
          .map(({ attempt, number }) => (
            <Accordion.Item key={number} value={String(number)}>
              <Accordion.Control>
                <Text size="sm" fw={500} component="span" display="block" className="breakable">
                  Attempt {number}: {outcomeOf(attempt)}
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

function outcomeOf({ status, error }: WebhookAttempt): string {
  return error ?? `delivered, ${status}`;
}

type AttemptProps = { readonly attempt: WebhookAttempt; readonly id: string; readonly webhook: Webhook };

/** Responses come from anyone's server, so they are shown as text only. */
function AttemptDetail({ attempt, id, webhook }: AttemptProps) {
  const { at, status, response, response_truncated: isTruncated } = attempt;
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        Request
        {Date.parse(webhook.updated_at) > Date.parse(at) &&
          ' (if the URL has been changed since, it went to the old one)'}
      </Text>
      <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
        {headersOf(attempt, { id, url: webhook.url })}
      </Code>
      {status === null ? (
        <Text size="sm">There was no response.</Text>
      ) : (
        <>
          <Text size="xs" c="dimmed">
            Response: status {status}
            {response !== '' && isTruncated && '. Only the first 4 kB of the body were stored.'}
          </Text>
          {response === '' ? (
            <Text size="sm">The body was empty.</Text>
          ) : (
            <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
              {response}
            </Code>
          )}
        </>
      )}
    </Stack>
  );
}

/** The signature is not stored. */
function headersOf({ at }: WebhookAttempt, { id, url }: { readonly id: string; readonly url: string }): string {
  return [
    `POST ${url}`,
    'content-type: application/json',
    'user-agent: Posthorn',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${Math.floor(Date.parse(at) / 1_000)}`,
    'webhook-signature: v1,… (not stored)',
  ].join('\n');
}
