import { connectWithoutTimeouts, emptyStore, settleTables } from '../support/database.js';
import { openDeliveryQueue } from '../support/delivery-queue.js';
import { fillWaiting } from '../support/fill-waiting.js';
import type { Stack } from '../support/stack.js';

const FILL_BATCH = 50_000;

const SENDER = 'bench@posthorn.localhost';

/** The email that the load sends. The waiting emails have the same content. */
export const email = {
  to: ['jane@example.com'],
  subject: 'Your order has been shipped',
  html: `<p>${'All is well.\r\n'.repeat(107)}</p>`,
  text: 'All is well.',
};

/** Replaces all data with `waiting` emails and their delivery jobs. No worker may be running. */
export async function refill({ ctx, env, workspaceId }: Stack, waiting: number): Promise<void> {
  const queue = openDeliveryQueue(ctx);
  const db = await connectWithoutTimeouts(env.DATABASE_URL as string);
  await emptyStore(db, ctx);
  const filling = { workspaceId, from: SENDER, html: email.html, text: email.text };
  for (let missing = waiting; missing > 0; missing -= FILL_BATCH) {
    const ids = await fillWaiting(db, filling, Math.min(missing, FILL_BATCH));
    await queue.add(workspaceId, ids);
  }
  await settleTables(db);
  await db.destroy();
  await queue.close();
}
