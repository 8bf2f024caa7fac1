import { migrateWhenReachable, openContext, preparePlatformKey, readEnv, runProcess, toConfig } from '@posthorn/domain';
import { listenForProbes } from './probe-server.js';
import { stopWithin } from './stop-within.js';
import { startWatchdog } from './watchdog.js';
import { startWorker } from './worker.js';

/** What is still in hand by then is left to its lease: another worker takes it over. */
const STOP_WITHIN_MS = 28_000;

await runProcess('worker', async () => {
  const base = openContext(toConfig(readEnv(), 'worker'), 'worker');
  const { log, config } = base;
  await migrateWhenReachable(base);
  await preparePlatformKey(base);
  const worker = startWorker(base);
  // Whoever supervises the process starts another; its mail goes over to others with the leases.
  const watchdog = startWatchdog({ sweep: worker.sweep, log }, () => process.exit(1));
  const { metricsPort, smtpUrls } = config;
  const probes = metricsPort === null ? null : await listenForProbes(worker.ctx, metricsPort);
  log.info({ relays: smtpUrls.length, concurrency: config.workerConcurrency }, 'worker_ready');
  return async () => {
    probes?.close();
    watchdog.stop();
    if (await stopWithin(worker, STOP_WITHIN_MS)) return;
    log.error({ inHand: worker.ctx.slots.inHand() }, 'stopped_with_mail_in_hand');
    process.exit(1);
  };
});
