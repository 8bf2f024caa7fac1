import { setTimeout as sleep } from 'node:timers/promises';
import { refuseWrongRedis, untilDatabaseReady } from '@posthorn/domain/startup';
import { openTracedContext } from '@posthorn/platform';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { openMetricsPort, runProcess } from '@posthorn/platform/processes';
import { closeApiContext, createApiContext } from './create-context.js';
import { assessApi } from './health/routes.js';
import { listen, stopListening } from './server.js';

const STOP_GRACE_MS = 10_000;

await runProcess('api', async (restart) => {
  const ctx = createApiContext(await openTracedContext(toConfig(readEnv(), 'api'), 'api'));
  await refuseWrongRedis(ctx);
  await untilDatabaseReady(ctx, { ports: [ctx.config.port, ctx.config.apiMetricsPort], restart });
  const { server, url } = await listen(ctx);
  const metrics = await openMetricsPort(ctx, {
    registry: ctx.metrics.registry,
    port: ctx.config.apiMetricsPort,
    assess: assessApi(ctx),
  });
  ctx.log.info({ url }, 'api_listening');
  return async () => {
    metrics.beginStopping();
    ctx.server.isStopping = true;
    // Load balancers need time to see the 503 of /readyz.
    await sleep(ctx.config.shutdownDelaySeconds * 1_000);
    await stopListening(server, STOP_GRACE_MS);
    metrics.close();
    await closeApiContext(ctx);
  };
});
