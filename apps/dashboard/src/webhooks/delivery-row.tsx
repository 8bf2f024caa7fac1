import { ActionIcon, Box, Table, Text } from '@mantine/core';
import type { Webhook, WebhookDelivery } from '@posthorn/contract';
import { useId } from 'react';
import { IconChevronRight } from '../ui/icons';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { DeliveryDetail } from './delivery-detail';
import classes from './delivery-row.module.css';
import { deliveryStatus } from './delivery-status';
import { NextAttempt } from './next-attempt';

type Props = {
  readonly webhook: Webhook;
  readonly delivery: WebhookDelivery;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
};

/** One delivery. The button shows its attempts. On narrow screens, all columns are below the event. */
export function DeliveryRow({ webhook, delivery, isOpen, onToggle }: Props) {
  const id = useId();
  const { event } = delivery;
  const type = event?.type ?? 'Deleted event';
  const status = <StatusBadge {...deliveryStatus(delivery)} />;
  return (
    <>
      <Table.Tr style={{ verticalAlign: 'top' }}>
        <Table.Td pe={0}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Details: ${type}`}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={onToggle}
          >
            <IconChevronRight size={16} className={classes.chevron} />
          </ActionIcon>
        </Table.Td>
        <Table.Td className="breakable">
          <Text size="sm" fw={500}>
            {type}
          </Text>
          <Text size="xs" c="dimmed">
            {subjectOf(delivery)}
          </Text>
          <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
            {event && <RelativeTime value={event.created_at} />}
            <Box my={4}>{status}</Box>
            <LastResponse delivery={delivery} webhook={webhook} />
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm">{status}</Table.Td>
        <Table.Td visibleFrom="sm" className="breakable">
          <Text size="sm" component="div">
            <LastResponse delivery={delivery} webhook={webhook} />
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Text size="sm" component="div">
            {event ? <RelativeTime value={event.created_at} /> : '–'}
          </Text>
        </Table.Td>
      </Table.Tr>
      <Table.Tr id={id} hidden={!isOpen}>
        <Table.Td colSpan={5} className={classes.details}>
          {isOpen && <DeliveryDetail webhook={webhook} delivery={delivery} />}
        </Table.Td>
      </Table.Tr>
    </>
  );
}

/** Whom or what the event is about. */
function subjectOf({ event }: WebhookDelivery): string | null {
  if (event === null) return null;
  const { data } = event;
  if ('email_id' in data) return data.recipient;
  if ('domain_id' in data) return data.name;
  return 'percent' in data ? `${data.percent} percent of ${data.period}` : null;
}

type LastResponseProps = Pick<Props, 'delivery' | 'webhook'>;

function LastResponse({ delivery, webhook }: LastResponseProps) {
  const last = delivery.attempts.at(-1);
  return (
    <>
      {last && <div>{last.status === null ? (last.error ?? 'No response') : `${last.status} in ${last.ms} ms`}</div>}
      {delivery.status === 'pending' && (
        <Box c="dimmed" fz="xs">
          <NextAttempt at={delivery.next_attempt_at} webhook={webhook} />
        </Box>
      )}
    </>
  );
}
