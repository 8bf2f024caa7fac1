import { Box, Stack, Text } from '@mantine/core';
import { dayLimits, type Webhook, type WebhookDelivery, webhookDeliveryStatuses } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable } from '../ui/data-table';
import { Caption, StatusBadge } from '../ui/facts';
import { SelectFilter } from '../ui/filters';
import { listOptions, toLabel } from '../ui/format';
import type { LiveList } from '../ui/live-list';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { NewRowsButton, Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { DeliveryDetail, NextAttempt } from './delivery-detail';
import { type DeliverySearch, deliveriesQuery, readDeliverySearch, showNewDeliveries } from './queries';
import { ReplayFailedButton, ReplayPeriodButton } from './replay';

const page = getRouteApi('/app-layout/webhooks/$id');

export function DeliveryLog({ webhook }: { readonly webhook: Webhook }) {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const queryClient = useQueryClient();
  const [openId, setOpenId] = useState<string | null>(null);
  const query = useQuery(deliveriesQuery(webhook.id, search, openId));
  const filter = (status: string) => navigate({ search: readDeliverySearch({ status }), resetScroll: false });
  return (
    <Section
      title="Deliveries"
      description={`One row for each event, newest first, kept for ${dayLimits.webhookLog} days. The list refreshes by itself.`}
      actions={
        webhook.status === 'enabled' && (
          <>
            <ReplayFailedButton webhookId={webhook.id} />
            <ReplayPeriodButton webhookId={webhook.id} />
          </>
        )
      }
      gap="md"
    >
      <Box component="search" maw="24rem">
        <SelectFilter label="Status" options={statusOptions} value={search.status ?? ''} onChange={filter} />
      </Box>
      <Loaded query={query} skeleton={<TableSkeleton rows={5} />}>
        {(list) => (
          <Box opacity={query.isPlaceholderData ? 0.5 : 1} aria-busy={query.isPlaceholderData}>
            <NewRowsButton
              count={list.newRows.length}
              one="delivery"
              many="deliveries"
              onShow={() => showNewDeliveries(queryClient, webhook.id, search)}
            />
            <Deliveries webhook={webhook} list={list} search={search} openId={openId} onOpen={setOpenId} />
          </Box>
        )}
      </Loaded>
    </Section>
  );
}

const NOTHING: Readonly<Record<Webhook['status'], string>> = {
  enabled: 'Nothing has been sent yet. Events appear here as they happen. Send a test event to try the webhook.',
  disabled: 'Nothing has been sent. Enable the webhook to send the events that it has missed.',
};

type DeliveriesProps = {
  readonly webhook: Webhook;
  readonly list: LiveList<WebhookDelivery>;
  readonly search: DeliverySearch;
  readonly openId: string | null;
  readonly onOpen: (id: string | null) => void;
};

function Deliveries({ webhook, list: { rows, hasMore }, search, openId, onOpen }: DeliveriesProps) {
  if (rows.length === 0) {
    return (
      <Text c="dimmed">{search.status === undefined ? NOTHING[webhook.status] : 'No delivery has this status.'}</Text>
    );
  }
  return (
    <Stack gap="md">
      <DeliveryTable webhook={webhook} deliveries={rows} openId={openId} onOpen={onOpen} />
      <Pager what="deliveries" cursor={search} hasMore={hasMore} rows={rows} />
    </Stack>
  );
}

type DeliveryTableProps = Pick<DeliveriesProps, 'webhook' | 'openId' | 'onOpen'> & {
  readonly deliveries: readonly WebhookDelivery[];
};

/** The button of a row shows the attempts. On narrow screens, all columns are below the event. */
function DeliveryTable({ webhook, deliveries, openId, onOpen }: DeliveryTableProps) {
  return (
    <DataTable
      verticalSpacing="xs"
      aria-label="Deliveries"
      isTopAligned
      rows={deliveries}
      details={{
        label: ({ event }) => event?.type ?? DELETED_EVENT,
        content: (delivery) => <DeliveryDetail webhook={webhook} delivery={delivery} />,
        isOpen: ({ id }) => id === openId,
        onToggle: ({ id }) => onOpen(id === openId ? null : id),
        td: { px: 0, pt: 'sm', pb: 'lg' },
      }}
      columns={[
        {
          name: 'Event',
          isBreakable: true,
          cell: (delivery) => (
            <>
              <Text fw={500}>{delivery.event?.type ?? DELETED_EVENT}</Text>
              <Caption>{findSubject(delivery)}</Caption>
              <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
                {delivery.event && <RelativeTime value={delivery.event.created_at} />}
                <Box my={4}>
                  <StatusBadge {...describeStatus(delivery)} />
                </Box>
                <LastResponse delivery={delivery} webhook={webhook} />
              </Text>
            </>
          ),
        },
        {
          name: 'Status',
          from: 'sm',
          w: '9rem',
          cell: (delivery) => <StatusBadge {...describeStatus(delivery)} />,
        },
        {
          name: 'Last response',
          from: 'sm',
          w: '24%',
          isBreakable: true,
          cell: (delivery) => (
            <Text component="div">
              <LastResponse delivery={delivery} webhook={webhook} />
            </Text>
          ),
        },
        {
          name: 'Time',
          from: 'sm',
          w: '11rem',
          cell: ({ event }) => <Text component="div">{event ? <RelativeTime value={event.created_at} /> : '–'}</Text>,
        },
      ]}
    />
  );
}

const DELETED_EVENT = 'Deleted event';

function findSubject({ event }: WebhookDelivery): string | null {
  if (event === null) return null;
  const { data } = event;
  if ('email_id' in data) return data.recipient;
  if ('domain_id' in data) return data.name;
  return 'percent' in data ? `${data.percent} percent of ${data.period}` : null;
}

function LastResponse({ delivery, webhook }: { readonly delivery: WebhookDelivery; readonly webhook: Webhook }) {
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

const statusOptions = listOptions(webhookDeliveryStatuses, (status) =>
  status === 'pending' ? 'Waiting or retrying' : toLabel(status),
);

function describeStatus({ status, attempts }: WebhookDelivery) {
  if (status !== 'pending') return { color: status === 'delivered' ? 'green' : 'red', label: toLabel(status) };
  return attempts.at(-1)?.error ? { color: 'orange', label: 'Retrying' } : { color: 'blue', label: 'Waiting' };
}
