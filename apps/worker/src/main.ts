import { preparePlatformKey } from '@posthorn/domain/domains';
import { refuseWrongRedis, untilDatabaseReady } from '@posthorn/domain/startup';
import { openTracedContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { openMetricsPort, runProcess } from '@posthorn/platform/processes';
import { startWatchdog } from './claiming/watchdog.js';
import { assessWorker, startWorker, stopWithin } from './worker.js';

/**
 * If stopping takes longer than this, the process exits. Other workers take over its emails when the leases expire.
 */
const STOP_WITHIN_MS = 28_000;

await runProcess('worker', async (restart) => {
  const base = await openTracedContext(toConfig(readEnv(), 'worker'), 'worker');
  const { log, config } = base;
  await refuseWrongRedis(base);
  await untilDatabaseReady(base, { ports: [config.metricsPort], restart });
  await preparePlatformKey(base);
  const worker = startWorker(base);
  // Exits so that the supervisor restarts the process. Other workers take over its emails when the leases expire.
  const stopWatchdog = worker.sweep
    ? startWatchdog({ sweep: worker.sweep, log }, () => process.exit(1)).stop
    : () => {};
  const metrics = await openMetricsPort(worker.ctx, {
    registry: worker.ctx.metrics.registry,
    port: config.metricsPort,
    assess: assessWorker(worker),
  });
  log.info(
    { roles: config.workerRoles, relays: config.smtpUrls.length, concurrency: config.workerConcurrency },
    'worker_ready',
  );
  return async () => {
    metrics.beginStopping();
    stopWatchdog();
    const hasStopped = await stopWithin(worker, STOP_WITHIN_MS);
    metrics.close();
    if (hasStopped) return;
    log.error({ inHand: worker.ctx.slots.inHand() }, 'stopped_with_emails_in_hand');
    process.exit(1);
  };
});
