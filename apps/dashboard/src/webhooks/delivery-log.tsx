import { Box, Stack, Text } from '@mantine/core';
import type { Webhook, WebhookDelivery } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { LiveList } from '../ui/live-list';
import { Loaded } from '../ui/loaded';
import { NewRowsButton } from '../ui/new-rows-button';
import { Pager } from '../ui/pager';
import { Section } from '../ui/section';
import { SelectFilter } from '../ui/select-filter';
import { TableSkeleton } from '../ui/table-skeleton';
import { type DeliverySearch, readDeliverySearch } from './delivery-search';
import { deliveryStatusOptions } from './delivery-status';
import { DeliveryTable } from './delivery-table';
import { deliveriesQuery, showNewDeliveries } from './queries';
import { ReplayFailedButton } from './replay-failed-button';
import { ReplayPeriodButton } from './replay-period-button';

const page = getRouteApi('/app-layout/webhooks/$id');

/** What was sent to a webhook, newest first. It refreshes by itself. */
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
      description="One row for each event, newest first, kept for 30 days. The list refreshes by itself."
      actions={
        webhook.status === 'enabled' && (
          <>
            <ReplayFailedButton webhookId={webhook.id} />
            <ReplayPeriodButton webhookId={webhook.id} />
          </>
        )
      }
    >
      <Stack gap="md">
        <Box component="search" maw="24rem">
          <SelectFilter label="Status" options={deliveryStatusOptions} value={search.status ?? ''} onChange={filter} />
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
      </Stack>
    </Section>
  );
}

const NOTHING: Readonly<Record<Webhook['status'], string>> = {
  enabled: 'Nothing has been sent yet. Events appear here as they happen. Send a test event to try the webhook.',
  disabled: 'Nothing has been sent. Enable the webhook to send the events that it has missed.',
};

type Props = {
  readonly webhook: Webhook;
  readonly list: LiveList<WebhookDelivery>;
  readonly search: DeliverySearch;
  readonly openId: string | null;
  readonly onOpen: (id: string | null) => void;
};

function Deliveries({ webhook, list: { rows, hasMore }, search, openId, onOpen }: Props) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {search.status === undefined ? NOTHING[webhook.status] : 'No delivery has this status.'}
      </Text>
    );
  }
  const { after, before } = search;
  return (
    <Stack gap="md">
      <DeliveryTable webhook={webhook} deliveries={rows} openId={openId} onOpen={onOpen} />
      <Pager
        what="deliveries"
        cursor={{ after, before }}
        hasMore={hasMore}
        first={rows[0]?.id}
        last={rows.at(-1)?.id}
      />
    </Stack>
  );
}
