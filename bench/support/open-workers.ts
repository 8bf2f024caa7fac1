import { join } from 'node:path';
import { type Child, startChild } from './child.js';
import { usEach } from './cpu.js';
import { connectWithoutTimeouts, databaseNow, vacuumTables } from './database.js';
import { openDeliveryQueue } from './delivery-queue.js';
import { fillWaiting, type WaitingEmails } from './fill-waiting.js';
import { deliveryRate, isDrained } from './outcomes.js';
import { openStack, type Stack } from './stack.js';
import { until } from './until.js';

/** Workers with a stack of their own. They are idle until `drain` is called. */
export type Workers = {
  readonly versions: Stack['versions'];
  /** Inserts `count` waiting emails and waits until all are sent. @throws Error if they are not */
  drain(mail: Omit<WaitingEmails, 'workspaceId'>, count: number): Promise<DrainResult>;
  peakMb(): number;
  close(): Promise<void>;
};

/** Emails per second, and CPU time per email in microseconds. */
export type DrainResult = { readonly rate: number; readonly us: Record<'own' | 'postgres' | 'redis', number> };

type WorkersOptions = {
  readonly workers: number;
  /** `WORKER_CONCURRENCY` of each worker. */
  readonly slots: number;
  readonly smtpUrl: string;
  readonly nodeArgs: readonly string[];
};

const WORKER = join(import.meta.dirname, '../../apps/worker/dist/main.js');
const GRACE_MS = 60_000;
const MAX_MS_PER_EMAIL = 20;

export async function openWorkers({ workers, slots, smtpUrl, nodeArgs }: WorkersOptions): Promise<Workers> {
  const stack = await openStack();
  const queue = openDeliveryQueue(stack.ctx);
  const db = await connectWithoutTimeouts(stack.env.DATABASE_URL as string);
  const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: smtpUrl, WORKER_CONCURRENCY: String(slots) };
  const children = await Promise.all(
    Array.from({ length: workers }, () => startChild(WORKER, env, { isReady: /worker_ready/, nodeArgs })),
  );
  const cpu = () => readCpu(stack, children);

  return {
    versions: stack.versions,
    async drain(mail, count) {
      const since = await databaseNow(stack.ctx);
      let before = cpu();
      const ids = await fillWaiting(db, { workspaceId: stack.workspaceId, ...mail }, count, () => {
        before = cpu();
      });
      await queue.add(stack.workspaceId, ids);
      const withinMs = GRACE_MS + count * MAX_MS_PER_EMAIL;
      await until(() => isDrained(stack.ctx), { what: `${count} emails to be sent`, by: children, withinMs });
      const us = usEach(before, cpu(), count);
      const rate = await deliveryRate(stack.ctx, since);
      // Without this, autovacuum would run while the next target is measured. A checkpoint here would slow that target
      // down too, because Postgres logs whole pages after a checkpoint.
      await vacuumTables(db);
      return { rate, us };
    },
    peakMb: () => Math.max(...children.map((child) => child.peakMb())),
    async close() {
      await Promise.all(children.map((child) => child.stop()));
      await queue.close();
      await db.destroy();
      await stack.close();
    },
  };
}

function readCpu(stack: Stack, children: readonly Child[]) {
  return { own: children.reduce((sum, child) => sum + child.cpuSeconds(), 0), ...stack.cpuSeconds() };
}
