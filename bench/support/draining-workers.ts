import { join } from 'node:path';
import { openBells } from './bells.js';
import { type Child, startChild } from './child.js';
import { usEach } from './cpu.js';
import {
  connectPatiently,
  databaseNow,
  deliveryRate,
  type Filling,
  fillWaiting,
  isDrained,
  vacuumTables,
} from './fill-store.js';
import { openStack, type Stack } from './stack.js';
import { until } from './until.js';

/** Workers with a stack of their own, which wait for mail. */
export type Workers = {
  readonly versions: Stack['versions'];
  /** Fills in so many waiting emails and waits until all are sent. @throws Error when they are not */
  drain(mail: Omit<Filling, 'workspaceId'>, count: number): Promise<Drained>;
  peakMb(): number;
  close(): Promise<void>;
};

/** Emails a second, and microseconds of processor time for each. */
export type Drained = { readonly rate: number; readonly us: Record<'own' | 'postgres' | 'redis', number> };

type Setting = {
  readonly workers: number;
  /** Of each worker. */
  readonly slots: number;
  readonly smtpUrl: string;
  readonly nodeArgs: readonly string[];
};

const WORKER = join(import.meta.dirname, '../../apps/worker/dist/main.js');
const GRACE_MS = 60_000;
const MOST_MS_EACH = 20;

export async function openWorkers({ workers, slots, smtpUrl, nodeArgs }: Setting): Promise<Workers> {
  const stack = await openStack();
  const bells = openBells(stack.ctx);
  const db = await connectPatiently(stack.env.DATABASE_URL as string);
  const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: smtpUrl, WORKER_CONCURRENCY: String(slots) };
  const children = await Promise.all(
    Array.from({ length: workers }, () => startChild(WORKER, env, { isReady: /worker_ready/, nodeArgs })),
  );
  const cpu = () => cpuOf(stack, children);

  return {
    versions: stack.versions,
    async drain(mail, count) {
      const since = await databaseNow(stack.ctx);
      let before = cpu();
      const ids = await fillWaiting(db, { workspaceId: stack.workspaceId, ...mail }, count, () => {
        before = cpu();
      });
      await bells.ring(stack.workspaceId, ids);
      const withinMs = GRACE_MS + count * MOST_MS_EACH;
      await until(() => isDrained(stack.ctx), { what: `${count} emails to be sent`, by: children, withinMs });
      const us = usEach(before, cpu(), count);
      const rate = await deliveryRate(stack.ctx, since);
      // Else it would fall into the time of whoever is measured next, as the first writes after a checkpoint would,
      // of which Postgres logs whole pages.
      await vacuumTables(db);
      return { rate, us };
    },
    peakMb: () => Math.max(...children.map((child) => child.peakMb())),
    async close() {
      await Promise.all(children.map((child) => child.stop()));
      await bells.close();
      await db.destroy();
      await stack.close();
    },
  };
}

function cpuOf(stack: Stack, children: readonly Child[]) {
  return { own: children.reduce((sum, child) => sum + child.cpuSeconds(), 0), ...stack.cpuSeconds() };
}
