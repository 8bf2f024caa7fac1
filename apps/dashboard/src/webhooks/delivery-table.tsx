import { Table, VisuallyHidden } from '@mantine/core';
import type { Webhook, WebhookDelivery } from '@posthorn/contract';
import { DeliveryRow } from './delivery-row';

type Props = {
  readonly webhook: Webhook;
  readonly deliveries: readonly WebhookDelivery[];
  readonly openId: string | null;
  readonly onOpen: (id: string | null) => void;
};

export function DeliveryTable({ webhook, deliveries, openId, onOpen }: Props) {
  return (
    <Table verticalSpacing="xs" aria-label="Deliveries">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="2.75rem" pe={0}>
            <VisuallyHidden>Details</VisuallyHidden>
          </Table.Th>
          <Table.Th>Event</Table.Th>
          <Table.Th visibleFrom="sm" w="9rem">
            Status
          </Table.Th>
          <Table.Th visibleFrom="sm" w="24%">
            Last response
          </Table.Th>
          <Table.Th visibleFrom="sm" w="11rem">
            Time
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            webhook={webhook}
            delivery={delivery}
            isOpen={delivery.id === openId}
            onToggle={() => onOpen(delivery.id === openId ? null : delivery.id)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}
