import { type Config, openContext, preparePlatformKey } from '@posthorn/domain';
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
import type { ApiContext } from '../../apps/api/src/context.js';
import { closeApi, openApi } from '../../apps/api/src/open-api.js';
import { listen, stopListening } from '../../apps/api/src/server.js';
import { startWorker } from '../../apps/worker/src/worker.js';

const STOP_GRACE_MS = 1_000;
const SWEEP_INTERVAL_MS = 100;
const NO_RATE_LIMIT = 1_000_000;

export type Site = {
  readonly url: string;
  readonly ctx: ApiContext;
  /** Receives whatever the service sends. */
  readonly sink: SmtpSink;
  /** What `sink` says to these recipients at RCPT; it takes mail for all others. */
  readonly replies: Map<string, SmtpReply>;
  /** Answers what the service asks about domains. */
  readonly dns: DnsServer;
  /** Puts the clock of API and worker forward. */
  passTime(ms: number): void;
  /** A workspace with its owner, who logs in with `email` and `password`. */
  newTenant(): Promise<TestWorkspace>;
  close(): Promise<void>;
};

/**
 * API and worker in this process, with databases of their own. The API knows its own address, so
 * that the links in mails lead to it.
 */
export async function startSite(config: Partial<Config> = {}): Promise<Site> {
  const replies = new Map<string, SmtpReply>();
  const reply = (_command: string, address: string) => replies.get(address);
  const [sink, dns] = await Promise.all([startSmtpSink({ reply }), startDnsServer()]);
  let passed = 0;
  const now = () => new Date(Date.now() + passed);
  const settings = {
    smtpUrls: [sink.url],
    dnsServers: [dns.address],
    sweepIntervalMs: SWEEP_INTERVAL_MS,
    rateLimitPerMinute: NO_RATE_LIMIT,
    ...config,
  };
  const base = await openTestContext({ config: settings, now });
  const { ctx, server, url } = await startOnFreePort({ name: 'the API', preferred: undefined, log() {} }, (port) =>
    startApi(base, port),
  );
  await preparePlatformKey(ctx);
  const worker = startWorker(openContext(ctx.config, 'worker', { log: ctx.log, now }));
  return {
    url,
    ctx,
    sink,
    replies,
    dns,
    passTime: (ms) => {
      passed += ms;
    },
    newTenant: () => createTestWorkspace(ctx),
    async close() {
      await stopListening(server, STOP_GRACE_MS);
      await worker.stop();
      await closeTestContext(ctx, closeApi);
      await Promise.all([sink.close(), dns.close()]);
    },
  };
}

async function startApi(base: Awaited<ReturnType<typeof openTestContext>>, port: number) {
  const ctx = openApi({ ...base, config: { ...base.config, port, publicUrl: `http://127.0.0.1:${port}` } });
  try {
    return { ctx, ...(await listen(ctx)) };
  } catch (error) {
    await ctx.accepting.close();
    throw error;
  }
}
