import {
  openMetricsServer,
  openTracedContext,
  readEnv,
  refuseWrongRedis,
  runProcess,
  toConfig,
  untilDatabaseReady,
} from '@posthorn/domain';
import { readReadiness } from './health/read-readiness.js';
import { closeApiContext, openApiContext } from './open-api-context.js';
import { listen, stopListening } from './server.js';

const STOP_GRACE_MS = 10_000;

await runProcess('api', async (restart) => {
  const ctx = openApiContext(await openTracedContext(toConfig(readEnv(), 'api'), 'api'));
  await refuseWrongRedis(ctx);
  await untilDatabaseReady(ctx, { ports: [ctx.config.port, ctx.config.apiMetricsPort], restart });
  const { server, url } = await listen(ctx);
  const { host, apiMetricsPort } = ctx.config;
  const { registry } = ctx.metrics;
  const admin =
    apiMetricsPort === null
      ? null
      : await openMetricsServer({ host, port: apiMetricsPort }, { registry, readReadiness: () => readReadiness(ctx) });
  ctx.log.info({ url }, 'api_listening');
  return async () => {
    await ctx.shutdown.begin(ctx.config.shutdownDelaySeconds);
    await stopListening(server, STOP_GRACE_MS);
    admin?.close();
    await closeApiContext(ctx);
  };
});
