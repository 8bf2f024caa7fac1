import { refuseWrongRedis, untilDatabaseReady } from '@posthorn/domain/startup';
import { openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { openMetricsPort, runProcess } from '@posthorn/platform/processes';
import { startTracking } from './start-tracking.js';

await runProcess('tracking', async (restart) => {
  const ctx = openContext(toConfig(readEnv(), 'tracking'), 'tracking');
  await refuseWrongRedis(ctx);
  const tracking = await startTracking(ctx, untilDatabaseReady(ctx, { restart }));
  const metrics = await openMetricsPort(ctx, {
    registry: tracking.registry,
    port: ctx.config.trackingMetricsPort,
    // It answers readers without Postgres.
    assess: (health) => ({ isReady: true, facts: health }),
  });
  ctx.log.info({ port: tracking.port }, 'tracking_listening');
  return async () => {
    metrics.beginStopping();
    await tracking.stop();
    metrics.close();
  };
});
