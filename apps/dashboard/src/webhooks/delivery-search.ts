import type { WebhookDelivery } from '@posthorn/contract';
import { type Cursor, readCursor } from '../ui/cursor';

/** The position in the delivery log and its filter, as in the URL. */
export type DeliverySearch = Cursor & { readonly status?: WebhookDelivery['status'] | undefined };

export function readDeliverySearch({ status, ...rest }: Record<string, unknown>): DeliverySearch {
  return { ...readCursor(rest), status: isDeliveryStatus(status) ? status : undefined };
}

function isDeliveryStatus(value: unknown): value is WebhookDelivery['status'] {
  return value === 'pending' || value === 'delivered' || value === 'failed';
}
