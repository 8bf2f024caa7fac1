import { migrateWhenReachable, openContext, readEnv, runProcess, toConfig } from '@posthorn/domain';
import { startInbound } from './start-inbound.js';

await runProcess('inbound', async () => {
  const ctx = openContext(toConfig(readEnv(), 'inbound'), 'inbound');
  await migrateWhenReachable(ctx);
  const inbound = await startInbound(ctx);
  ctx.log.info({ port: inbound.port }, 'inbound_listening');
  return () => inbound.stop();
});
