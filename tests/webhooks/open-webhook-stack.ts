import { scopes } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from '@posthorn/testing';
import { openReceiverServer, type ReceiverServer } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { type RunningProcess, startProcess } from '../processes.js';
import { type Tenant, tenantWith } from './tenant.js';

export type WebhookStack = {
  readonly ctx: Context;
  readonly sink: SmtpSink;
  readonly api: RunningProcess;
  readonly worker: RunningProcess;
  /** A new workspace. */
  openTenant(): Promise<Tenant>;
  /** The test mail of a new workspace, and its live mail. */
  openTenantWithTestMail(): Promise<{ readonly live: Tenant; readonly test: Tenant }>;
  /** Starts a receiver, which is closed with everything else. */
  openReceiver(...options: Parameters<typeof openReceiverServer>): Promise<ReceiverServer>;
  close(): Promise<void>;
};

/** Starts the API and a worker as processes, with a mail server. */
export async function openWebhookStack({
  env = {},
  sink: sinkOptions,
}: {
  env?: NodeJS.ProcessEnv;
  sink?: SmtpSinkOptions;
} = {}): Promise<WebhookStack> {
  const ctx = await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' });
  const sink = await startSmtpSink(sinkOptions);
  const settings = {
    SMTP_URL: sink.url,
    RATE_LIMIT_PER_MINUTE: '100000',
    RETRY_SCHEDULE: '1,1,60',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    SIMULATOR_DOMAIN: 'simulator.example',
    LOG_LEVEL: 'trace',
    ...env,
  };
  const [api, worker] = await Promise.all([startProcess('api', ctx, settings), startProcess('worker', ctx, settings)]);
  const receivers: ReceiverServer[] = [];
  const openTenant = async () => {
    const workspace = await createTestWorkspace(ctx, { planId: 'pro' });
    return { ...workspace, ...tenantWith(api.url, workspace.key) };
  };
  return {
    ctx,
    sink,
    api,
    worker,
    openTenant,
    async openTenantWithTestMail() {
      const live = await openTenant();
      const fields = { name: 'Test mail', scopes: [...scopes], mode: 'test' as const, expiresAt: null };
      const { text } = await createKey(ctx, operator, live.workspaceId, fields);
      return { live, test: { ...live, ...tenantWith(api.url, text) } };
    },
    async openReceiver(...options) {
      const receiver = await openReceiverServer(...options);
      receivers.push(receiver);
      return receiver;
    },
    async close() {
      for (const receiver of receivers) await receiver.close();
      await Promise.all([api.stop(), worker.stop()]);
      await sink.close();
      await closeTestContext(ctx);
    },
  };
}
