import {
  openContext,
  openMetricsPort,
  readEnv,
  refuseWrongRedis,
  runProcess,
  toConfig,
  untilDatabaseReady,
} from '@posthorn/domain';
import { startTracking } from './start-tracking.js';

await runProcess('tracking', async (restart) => {
  const ctx = openContext(toConfig(readEnv(), 'tracking'), 'tracking');
  await refuseWrongRedis(ctx);
  const tracking = await startTracking(ctx, untilDatabaseReady(ctx, { restart }));
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
