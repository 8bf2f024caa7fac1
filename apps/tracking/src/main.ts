import { migrateWhenReachable, openContext, readEnv, runProcess, toConfig } from '@posthorn/domain';
import { startTracking } from './start-tracking.js';

await runProcess('tracking', async () => {
  const ctx = openContext(toConfig(readEnv(), 'tracking'), 'tracking');
  const tracking = await startTracking(ctx, migrateWhenReachable(ctx));
  ctx.log.info({ port: tracking.port }, 'tracking_listening');
  return () => tracking.stop();
});
