import { refuseWrongRedis, untilDatabaseReady } from '@posthorn/domain/startup';
import { openContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { openMetricsPort, runProcess } from '@posthorn/platform/processes';
import { startInbound } from './start-inbound.js';

await runProcess('inbound', async (restart) => {
  const ctx = openContext(toConfig(readEnv(), 'inbound'), 'inbound');
  await refuseWrongRedis(ctx);
  await untilDatabaseReady(ctx, { ports: [ctx.config.inboundMetricsPort], restart });
  const inbound = await startInbound(ctx);
  const metrics = await openMetricsPort(ctx, {
    registry: inbound.registry,
    port: ctx.config.inboundMetricsPort,
    assess: (health) => ({ isReady: health.postgres.state === 'writable', facts: health }),
  });
  ctx.log.info({ port: inbound.port }, 'inbound_listening');
  return async () => {
    metrics.beginStopping();
    await inbound.stop();
    metrics.close();
  };
});
