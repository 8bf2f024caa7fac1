import { until } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import type { ReceivedRequest } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let stack: WebhookStack;
let tenant: Tenant;
const secrets: string[] = [];

beforeAll(async () => {
  stack = await openWebhookStack();
  tenant = await stack.openTenant();
});
afterAll(() => stack.close());

const ACCEPTED = { events: ['email.accepted'] };

async function rotate(id: string, overlapSeconds: number): Promise<string> {
  const { body } = await tenant.call('POST', `/webhooks/${id}/rotate-secret`, { overlap_seconds: overlapSeconds });
  secrets.push(body.secret);
  return body.secret;
}

/** Whether the independent verifier accepts the request with this secret. */
function accepts(secret: string, { body, headers }: ReceivedRequest): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

test('an independent verifier accepts a request with both secrets during the overlap, and then only with the new one', async () => {
  const receiver = await stack.openReceiver();
  const { id, secret: old } = await tenant.addWebhook(receiver.url, ACCEPTED);
  secrets.push(old);
  const next = async () => {
    const { length } = receiver.requests;
    await tenant.send();
    return (await receiver.untilReceived(length + 1))[length] as ReceivedRequest;
  };
  const before = await next();
  expect(accepts(old, before)).toBe(true);

  const fresh = await rotate(id, 60);
  const during = await next();
  expect([accepts(old, during), accepts(fresh, during)]).toEqual([true, true]);
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect(accepts(fresh, before)).toBe(false);

  await stack.ctx
    .db('webhook_secrets')
    .whereNotNull('expires_at')
    .update({ expires_at: new Date(Date.now() - 1_000) });
  const after = await next();
  expect([accepts(old, after), accepts(fresh, after)]).toEqual([false, true]);

  const replaced = await rotate(id, 0);
  const last = await next();
  expect([accepts(fresh, last), accepts(replaced, last)]).toEqual([false, true]);
});

test('a test event is signed too, and goes to its webhook alone', async () => {
  const [receiver, other] = [await stack.openReceiver(), await stack.openReceiver()];
  const webhook = await tenant.addWebhook(receiver.url, ACCEPTED);
  await tenant.addWebhook(other.url);
  secrets.push(webhook.secret);
  const { status, body } = await tenant.call('POST', `/webhooks/${webhook.id}/test`);
  expect(status).toBe(202);
  const [request] = await receiver.untilReceived(1);
  expect(request).toMatchObject({ id: body.event_id, type: 'webhook.test', data: { webhook_id: webhook.id } });
  expect(accepts(webhook.secret, request as ReceivedRequest)).toBe(true);
  await tenant.send();
  await other.untilReceived(1);
  expect(other.requests.map(({ type }) => type)).not.toContain('webhook.test');
});

test('no log, list or audit log has a secret', async () => {
  const { id, secret: first } = await tenant.addWebhook((await stack.openReceiver()).url, ACCEPTED);
  secrets.push(first);
  for (const overlapSeconds of [60, 0]) await rotate(id, overlapSeconds);
  const { body: list } = await tenant.call('GET', '/webhooks');
  const shown = [list, await tenant.getWebhook(id), await tenant.changeWebhook(id, { description: 'Shop' })];
  shown.push(await tenant.deliveriesOf(id));
  const { rows: audited } = await stack.ctx.db.raw('select audit_log::text as text from audit_log');
  expect(JSON.stringify(audited)).toContain('webhook.secret_rotated');
  await until(() => stack.worker.lines.some((line) => line.includes('worker_ready')));
  const everything = [JSON.stringify(shown), JSON.stringify(audited), ...stack.api.lines, ...stack.worker.lines].join(
    '\n',
  );
  expect(secrets.length).toBeGreaterThan(2);
  for (const secret of secrets) expect(everything).not.toContain(secret.slice('whsec_'.length, 30));
  expect(everything).not.toContain('whsec_');
});
