import type { Db } from '@posthorn/platform/postgres';
import { bytesPerEmail, emptyStore, settleTables } from '../support/database.js';
import { isDrained } from '../support/outcomes.js';
import type { Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { openService, type Service, sendOne, startWorker } from './service.js';
import { CONNECTIONS } from './settings.js';

const PRODUCT_MADE = 5_000;
const WITHIN_MS = 600_000;

/**
 * Measures the bytes per email after an API has accepted emails while a worker delivered them. By then, each row has
 * been written several times, and at best, the space of its old versions has been reused. The tables must be empty, and
 * are empty afterwards.
 */
export async function measureProductBytes(stack: Stack, db: Db): Promise<number> {
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

/** Sends emails like those of `fillStored`, but without templates. */
async function acceptAll(service: Service): Promise<void> {
  const senders = Array.from({ length: CONNECTIONS }, async (_, sender) => {
    for (let n = sender + 1; n <= PRODUCT_MADE; n += CONNECTIONS) {
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
  await Promise.all(senders);
}
