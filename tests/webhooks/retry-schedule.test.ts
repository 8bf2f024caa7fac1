import { until } from '@posthorn/testing';
import { openWebhookStack, type WebhookStack } from './open-webhook-stack.js';
import type { Tenant } from './tenant.js';

let stack: WebhookStack;
let tenant: Tenant;

beforeAll(async () => {
  stack = await openWebhookStack();
  tenant = await stack.openTenant();
});
afterAll(() => stack.close());

const MINUTE = 60;
const HOUR = 3_600;
const PAUSES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
/** Pauses vary by a tenth. They begin when the result is recorded, which may take a while on a busy machine. */
const [LEAST, MOST] = [0.85, 1.15];
const BUSY_SECONDS = 60;

/** Changes the waiting delivery as if its pause were over. */
async function skipPause(): Promise<void> {
  const now = { due_at: stack.ctx.db.raw('now()') };
  await stack.ctx.db('webhook_deliveries').whereNotNull('due_at').update(now);
  await stack.ctx.db('webhook_states').update({ ...now, paused_until: null });
}

test('a delivery fails after eight attempts, with the pauses of the schedule between them', async () => {
  const receiver = await stack.openReceiver((_request, response) => void response.writeHead(500).end('no'));
  const { id } = await tenant.addWebhook(receiver.url, { events: ['email.accepted'] });
  await tenant.send();
  const delivery = async (attempts: number) => {
    await until(async () => (await tenant.deliveriesOf(id))[0]?.attempts.length === attempts);
    return (await tenant.deliveriesOf(id))[0];
  };
  for (const [index, pause] of PAUSES.entries()) {
    const waiting = await delivery(index + 1);
    expect(waiting?.status).toBe('pending');
    const attemptAt = Date.parse(waiting?.attempts.at(-1)?.at ?? '');
    const seconds = (Date.parse(waiting?.next_attempt_at ?? '') - attemptAt) / 1_000;
    expect(seconds).toBeGreaterThan(pause * LEAST);
    expect(seconds).toBeLessThan(pause * MOST + BUSY_SECONDS);
    await skipPause();
  }
  expect(await delivery(PAUSES.length + 1)).toMatchObject({ status: 'failed', next_attempt_at: null });
  expect(new Set(receiver.requests.map((request) => request.id)).size).toBe(1);
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(receiver.requests).toHaveLength(PAUSES.length + 1);
});
