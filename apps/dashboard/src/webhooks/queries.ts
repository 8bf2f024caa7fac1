import { type List, type Mode, type Webhook, type WebhookDelivery, webhookDeliveryStatuses } from '@posthorn/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { get, toPath, toQueryString } from '../api/request';
import { type LiveList, toLiveList, updateInPlace } from '../ui/live-list';
import { cursor, oneOf, readSearch } from '../ui/search';

const REFRESH_MS = 3_000;

export const webhooksPath = '/api/v1/webhooks';

export const webhooksKey = ['webhooks'];

/** All webhooks of a mode. One page is enough, because it holds as many as a workspace can have. */
export const webhooksQuery = (mode: Mode) =>
  queryOptions({
    queryKey: [...webhooksKey, 'list', mode],
    queryFn: () => get<List<Webhook>>(`${webhooksPath}${toQueryString({ mode, limit: 100 })}`),
  });

/** Refreshes, because Posthorn can disable a webhook. */
export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...webhooksKey, 'one', id],
    queryFn: () => get<Webhook>(toPath(webhooksPath, id)),
    refetchInterval: 3 * REFRESH_MS,
  });

/**
 * A page of the delivery log, which refreshes.
 * @param openId the delivery that the user is reading. As long as it is listed, the rows stay in place, and new ones wait
 *   until the user asks for them
 */
export function deliveriesQuery(id: string, search: DeliverySearch, openId: string | null) {
  const queryKey = buildDeliveriesKey(id, search);
  return queryOptions({
    queryKey,
    async queryFn({ client }): Promise<LiveList<WebhookDelivery>> {
      const list = await getDeliveries(id, search);
      const shown = client.getQueryData<LiveList<WebhookDelivery>>(queryKey);
      const isReading = shown?.rows.some((row) => row.id === openId);
      return shown && isReading ? updateInPlace(shown, list) : toLiveList(list);
    },
    refetchInterval: REFRESH_MS,
    placeholderData: (previous, query) => (query?.queryKey.includes(id) ? previous : undefined),
  });
}

/** Reloads a page of the delivery log at once, with its new rows. */
export async function showNewDeliveries(client: QueryClient, id: string, search: DeliverySearch): Promise<void> {
  const queryKey = buildDeliveriesKey(id, search);
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, toLiveList(await getDeliveries(id, search)));
}

/** The prefix of the queries for the delivery log. Invalidate it after sending something. */
export function buildDeliveryLogKey(id: string) {
  return [...webhooksKey, 'one', id, 'deliveries'];
}

function buildDeliveriesKey(id: string, { status, after, before }: DeliverySearch) {
  return [...buildDeliveryLogKey(id), status, after, before];
}

function getDeliveries(id: string, { status, after, before }: DeliverySearch): Promise<List<WebhookDelivery>> {
  return get<List<WebhookDelivery>>(
    `${toPath(webhooksPath, id)}/deliveries${toQueryString({ status, after, before })}`,
  );
}

/** The mode of the listed webhooks, and whether the dialog that creates one is open, as in the URL. */
export const readWebhooksSearch = readSearch({ mode: oneOf('test'), create: oneOf('true') });

export const readDeliverySearch = readSearch({ ...cursor, status: oneOf(...webhookDeliveryStatuses) });

export type DeliverySearch = ReturnType<typeof readDeliverySearch>;
