import { migrateWhenReachable, openContext, readEnv, runProcess, toConfig } from '@posthorn/domain';
import { listenForProbes } from './probe-server.js';
import { startWorker } from './worker.js';

/** What is still in hand by then is left to its lease: another worker takes it over. */
const STOP_WITHIN_MS = 28_000;

await runProcess('worker', async () => {
  const base = openContext(toConfig(readEnv(), 'worker'), 'worker');
  await migrateWhenReachable(base);
  const worker = startWorker(base);
  const { metricsPort, smtpUrls } = worker.ctx.config;
  const probes = metricsPort === null ? null : await listenForProbes(worker.ctx, metricsPort);
  base.log.info({ relays: smtpUrls.length, concurrency: base.config.workerConcurrency }, 'worker_ready');
  return async () => {
    probes?.close();
    const late = setTimeout(() => {
      base.log.error({ inHand: worker.ctx.slots.inUse() }, 'stopped_with_mail_in_hand');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    await worker.stop();
    clearTimeout(late);
  };
});
