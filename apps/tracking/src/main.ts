import {
  enterIncarnation,
  openContext,
  openMetricsPort,
  readEnv,
  refuseWrongRedis,
  runProcess,
  toConfig,
  untilSchemaReady,
} from '@posthorn/domain';
import { startTracking } from './start-tracking.js';

await runProcess('tracking', async (restart) => {
  const ctx = openContext(toConfig(readEnv(), 'tracking'), 'tracking');
  await refuseWrongRedis(ctx);
  const migrated = untilSchemaReady(ctx).then(() => enterIncarnation(ctx, restart));
  const tracking = await startTracking(ctx, migrated);
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
