import { migrateWhenReachable, openContext, openMetricsPort, readEnv, runProcess, toConfig } from '@posthorn/domain';
import { startTracking } from './start-tracking.js';

await runProcess('tracking', async () => {
  const ctx = openContext(toConfig(readEnv(), 'tracking'), 'tracking');
  const tracking = await startTracking(ctx, migrateWhenReachable(ctx));
  // It answers readers without Postgres.
  const settings = { registry: tracking.registry, port: ctx.config.trackingMetricsPort, needsPostgres: false };
  const metrics = await openMetricsPort(ctx, settings);
  ctx.log.info({ port: tracking.port }, 'tracking_listening');
  return async () => {
    metrics.beginStopping();
    await tracking.stop();
    metrics.close();
  };
});
