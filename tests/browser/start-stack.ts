import { preparePlatformKey } from '@posthorn/domain/domains';
import { openContext } from '@posthorn/platform';
import { startOnFreePort } from '@posthorn/servers';
import {
  closeTestContext,
  createTestWorkspace,
  type DnsServer,
  openTestContext,
  type SmtpReply,
  type SmtpSink,
  startDnsServer,
  startSmtpSink,
  type TestWorkspace,
} from '@posthorn/testing';
import type { ApiContext } from '../../apps/api/src/context/api-context.js';
import { closeApiContext, createApiContext } from '../../apps/api/src/create-context.js';
import { listen, stopListening } from '../../apps/api/src/server.js';
import { startWorker } from '../../apps/worker/src/worker.js';

const STOP_GRACE_MS = 1_000;
const NO_RATE_LIMIT = 1_000_000;

export type Stack = {
  readonly url: string;
  readonly ctx: ApiContext;
  /** Receives all mail that the service sends. */
  readonly sink: SmtpSink;
  /** How `sink` replies to RCPT for these recipients; it accepts all others. */
  readonly replies: Map<string, SmtpReply>;
  /** Answers the service's DNS queries. */
  readonly dns: DnsServer;
  /** Starts a delivery worker, which runs only during files with browser tests because it searches for due emails. */
  startWorker(): { stop(): Promise<void> };
  /** Creates a workspace whose owner logs in with `email` and `password`. */
  newTenant(): Promise<TestWorkspace>;
};

/**
 * Starts the API in this process, with databases of its own. It knows its own URL, so the links in its emails work.
 * Webhooks may reach receivers on this machine. Nothing is delivered before `startWorker`.
 */
export async function startStack(): Promise<Stack & { close(): Promise<void> }> {
  const replies = new Map<string, SmtpReply>();
  const reply = (_command: string, address: string) => replies.get(address);
  const [sink, dns] = await Promise.all([startSmtpSink({ reply }), startDnsServer()]);
  const settings = {
    smtpUrls: [sink.url],
    dnsServers: [dns.address],
    rateLimitPerMinute: NO_RATE_LIMIT,
    webhookAllowedNetworks: ['127.0.0.0/8'],
  };
  const base = await openTestContext({
    config: settings,
    ownDatabase: 'its worker claims the emails of all workspaces',
  });
  const { ctx, server, url } = await startOnFreePort({ name: 'the API', preferred: undefined, log() {} }, (port) =>
    startApi(base, port),
  );
  await preparePlatformKey(ctx);
  return {
    url,
    ctx,
    sink,
    replies,
    dns,
    startWorker: () => startWorker(openContext(ctx.config, 'worker', { log: ctx.log, incarnation: ctx.incarnation })),
    newTenant: () => createTestWorkspace(ctx),
    async close() {
      await stopListening(server, STOP_GRACE_MS);
      await closeTestContext(ctx, closeApiContext);
      await Promise.all([sink.close(), dns.close()]);
    },
  };
}

async function startApi(base: Awaited<ReturnType<typeof openTestContext>>, port: number) {
  const ctx = createApiContext({ ...base, config: { ...base.config, port, publicUrl: `http://127.0.0.1:${port}` } });
  try {
    return { ctx, ...(await listen(ctx)) };
  } catch (error) {
    await ctx.accepting.close();
    throw error;
  }
}
