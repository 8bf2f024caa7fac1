import { eraseNextBatch } from '@posthorn/domain/erasure';
import { type Loop, startLoop } from '@posthorn/platform/processes';
import type { WorkerContext } from '../context.js';

const EVERY_MS = 5_000;

/** Erases recipients, batch by batch. Any number of workers can share the work. */
export function startErasures(
  ctx: Pick<WorkerContext, 'config' | 'db' | 'log' | 'now' | 'incarnationKeys' | 'redis'>,
): Loop {
  return startLoop(async () => {
    try {
      return await eraseNextBatch(ctx);
    } catch (error) {
      ctx.log.warn({ error }, 'erasures_not_read');
      return false;
    }
  }, EVERY_MS);
}
