import type { Db } from '@posthorn/domain';
import { emptyStore } from '../support/empty-store.js';
import { bytesPerEmail, isDrained, settleTables } from '../support/fill-store.js';
import type { Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { openService, type Service, sendOne, startWorker } from './service.js';
import { CONNECTIONS } from './settings.js';

const PRODUCT_MADE = Number(process.env.PRODUCT_MADE ?? 5_000);
const WITHIN_MS = 600_000;

/**
 * Bytes per email once an API has accepted and a worker delivered some at the same time: each row was
 * written several times, and what that left behind is reused by others at best. The tables are empty
 * before and after.
 */
export async function measureProductMade(stack: Stack, db: Db): Promise<number> {
  const service = await openService(stack);
  const worker = await startWorker(service);
  await acceptAll(service);
  const what = `${PRODUCT_MADE} emails to be delivered`;
  await until(() => isDrained(stack.ctx), { what, by: [worker], withinMs: WITHIN_MS });
  await worker.stop();
  await service.close();
  await settleTables(db);
  const bytes = await bytesPerEmail(db);
  await emptyStore(db, stack.ctx);
  return bytes;
}

/** Like those that `fillStored` makes, but for their templates. */
async function acceptAll(service: Service): Promise<void> {
  const lanes = Array.from({ length: CONNECTIONS }, async (_, lane) => {
    for (let n = lane + 1; n <= PRODUCT_MADE; n += CONNECTIONS) {
      await sendOne(service, service.stack.key, {
        to: [`jane${n}@example.com`],
        subject: 'Your order has been shipped',
        text: 'All is well.',
        tags: [
          { name: 'campaign', value: String(n % 10) },
          { name: 'cohort', value: String(n % 1_000) },
        ],
      });
    }
  });
  await Promise.all(lanes);
}
