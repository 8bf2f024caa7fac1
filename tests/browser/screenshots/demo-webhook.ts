import type { Webhook } from '@posthorn/contract';
import type { Context } from '@posthorn/platform';
import { until } from '@posthorn/testing';
import { openReceiverServer, type ReceiverServer } from '../../../apps/worker/test/webhooks/open-receiver-server.js';
import { type Caller, callApi } from '../call-api.js';

const URL_IN_SCREENSHOTS = 'https://shop.cornershop.example/webhooks';
/** The second request comes after a few seconds, and the third one after minutes. */
const REQUESTS_FOR_FAILURE = 2;

/** A receiver that cannot handle bounces. */
export function openDemoReceiver(): Promise<ReceiverServer> {
  return openReceiverServer(({ type }, response) => {
    response.statusCode = type === 'email.bounced' ? 503 : 200;
    response.end(type === 'email.bounced' ? '{"error": "customer database is read-only"}' : '{"ok": true}');
  });
}

/** @returns the id of a webhook that gets the events from now on */
export async function addDemoWebhook(owner: Caller, { url }: ReceiverServer): Promise<string> {
  const events = ['email.sent', 'email.deferred', 'email.bounced'];
  const settings = { url, events, description: 'Order status in the shop' };
  return (await callApi<Webhook>(owner, 'POST', '/api/v1/webhooks', settings)).id;
}

/** Waits until the webhook will send nothing for minutes, and gives it a URL that looks real. */
export async function finishDemoWebhook({ db }: Context, id: string, receiver: ReceiverServer): Promise<void> {
  await until('requests have failed', async () => {
    const failed = receiver.requests.filter(({ type }) => type === 'email.bounced');
    const ids = new Set(failed.map((request) => request.id));
    return ids.size > 0 && failed.length === ids.size * REQUESTS_FOR_FAILURE;
  });
  await db('webhooks').where({ id }).update({ url: URL_IN_SCREENSHOTS });
}
