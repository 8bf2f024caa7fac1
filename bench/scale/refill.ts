import { openBells } from '../support/bells.js';
import { emptyStore } from '../support/empty-store.js';
import { connectPatiently, fillWaiting, settleTables } from '../support/fill-store.js';
import type { Stack } from '../support/stack.js';

const FILL_AT_ONCE = 50_000;

const FROM = 'bench@posthorn.localhost';

/** What is accepted, and what waits. */
export const email = {
  to: ['jane@example.com'],
  subject: 'Your order has been shipped',
  html: `<p>${'All is well.\r\n'.repeat(107)}</p>`,
  text: 'All is well.',
};

/** Leaves so many emails waiting, their bells rung, and nothing else. No worker may run. */
export async function refill({ ctx, env, workspaceId }: Stack, waiting: number): Promise<void> {
  const bells = openBells(ctx);
  const db = await connectPatiently(env.DATABASE_URL as string);
  await emptyStore(db, ctx);
  const filling = { workspaceId, from: FROM, html: email.html, text: email.text };
  for (let missing = waiting; missing > 0; missing -= FILL_AT_ONCE) {
    const ids = await fillWaiting(db, filling, Math.min(missing, FILL_AT_ONCE));
    await bells.ring(workspaceId, ids);
  }
  await settleTables(db);
  await db.destroy();
  await bells.close();
}
