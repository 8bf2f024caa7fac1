import type { Mode } from '@posthorn/contract';

/** The mode of the listed webhooks, and whether the dialog that creates one is open, as in the URL. */
export type WebhooksSearch = { readonly mode?: Mode | undefined; readonly create?: 'true' | undefined };

export function readWebhooksSearch({ mode, create }: Record<string, unknown>): WebhooksSearch {
  return { mode: mode === 'test' ? mode : undefined, create: create === 'true' ? create : undefined };
}
