import { setTimeout as sleep } from 'node:timers/promises';
import type { EmailStatus } from '@posthorn/contract';
import {
  type AcceptContext,
  acceptEmails,
  type NewEmails,
  openAcceptContext,
  type SendRequest,
} from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKey, createKeyCache } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import type { ClaimedEmail } from '@posthorn/domain/delivery';
import { type EmailDetail, findEmail, findEmailSummary, findWorkspaceOfEmail } from '@posthorn/domain/emails';
import { parseAddress } from '@posthorn/domain/format';
import { type Context, closeContext, openContext } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import type { Log } from '@posthorn/platform/logs';
import { isUnavailable } from '@posthorn/platform/postgres';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from '@posthorn/testing';
import { type RunningWorker, startWorker } from '../src/worker.js';

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const EMAILS_PER_JOB = 50;

/** What a test wants to send. Everything else has a default. */
export type EmailOptions = { to?: string[]; cc?: string[]; bcc?: string[] } & Partial<
  Omit<SendRequest, 'to' | 'cc' | 'bcc'>
>;

export type TestWorker = {
  readonly ctx: Context;
  readonly sink: SmtpSink;
  readonly workspaceId: string;
  readonly slug: string;
  /** Accepts an email as the API does. @returns its id */
  accept(options?: EmailOptions): Promise<string>;
  /** Accepts test mail for the same workspace. @returns its id */
  acceptTest(options?: EmailOptions): Promise<string>;
  /** Creates another workspace, for which emails can be accepted. */
  otherWorkspace(): Promise<Pick<TestWorker, 'workspaceId' | 'accept'>>;
  /** Adds delivery jobs for emails of `workspaceId`, 50 per job. */
  announce(ids: readonly string[]): void;
  read(id: string): Promise<EmailDetail>;
  /** Waits until the email has this status. @throws Error with its actual status */
  until(id: string, status: EmailStatus): Promise<EmailDetail>;
  /** Starts another worker on the same Postgres and Redis. `close` stops it too. */
  start(config?: Partial<Config>): RunningWorker;
  /** Starts a worker that has no memory left for large attachments, so it reads them again while it sends them. */
  startWithoutMemory(): void;
  /** Stops all workers that are running now. */
  stopAll(): Promise<void>;
  close(): Promise<void>;
};

/** Opens Postgres, Redis, an SMTP server and, unless `started` is false, one worker. */
export async function openTestWorker({
  config = {},
  sink: sinkOptions = {},
  started = true,
  log,
}: {
  config?: Partial<Config>;
  sink?: SmtpSinkOptions;
  started?: boolean;
  log?: Log;
} = {}): Promise<TestWorker> {
  const sink = await startSmtpSink(sinkOptions);
  const settings = {
    smtpUrls: [sink.url],
    sweepIntervalMs: 100,
    leaseSeconds: 3,
    retryScheduleSeconds: [1, 1],
    workerRoles: ['deliver'] as const,
    ...config,
  };
  const ctx = await openTestContext({
    ownDatabase: 'a worker claims the emails of all workspaces',
    config: { ...settings, rateLimitPerMinute: 100_000 },
    ...(log && { log }),
  });
  const workspace = await createTestWorkspace(ctx, { planId: 'pro' });
  const { text: testKey } = await createKey(ctx, operator, workspace.workspaceId, {
    name: 'Test mode',
    scopes: ['emails:send'],
    mode: 'test',
    expiresAt: null,
  });
  const acceptContext = openAcceptContext(ctx);
  const workers: RunningWorker[] = [];
  const stopAll = async () => void (await Promise.all(workers.splice(0).map((worker) => worker.stop())));
  const findWorkspace = async (id: string) => {
    const found = await findWorkspaceOfEmail(ctx.db, id);
    if (!found) throw new Error(`There is no email ${id}`);
    return found;
  };
  const read = async (id: string) => {
    const email = await findEmail(ctx.db, (await findWorkspace(id)).id, id, { withContent: true });
    if (!email) throw new Error(`There is no email ${id}`);
    return email;
  };
  const t: TestWorker = {
    ctx,
    sink,
    workspaceId: workspace.workspaceId,
    slug: workspace.slug,
    accept: await acceptAs(acceptContext, ctx, workspace.key),
    acceptTest: await acceptAs(acceptContext, ctx, testKey),
    async otherWorkspace() {
      const { workspaceId, key } = await createTestWorkspace(ctx, { planId: 'pro' });
      return { workspaceId, accept: await acceptAs(acceptContext, ctx, key) };
    },
    announce(ids) {
      const emails = ids.map((id) => [id, workspace.workspaceId] as const);
      for (let i = 0; i < emails.length; i += EMAILS_PER_JOB)
        acceptContext.deliveryJobs.announce(emails.slice(i, i + EMAILS_PER_JOB));
    },
    read,
    async until(id, status) {
      const { id: workspaceId } = await findWorkspace(id);
      const current = async () => {
        try {
          return (await findEmailSummary(ctx.db, workspaceId, id))?.status;
        } catch (error) {
          // On a busy machine, connecting can take longer than our own time limit. The next poll may get through.
          if (!isUnavailable(error)) throw error;
          return undefined;
        }
      };
      for (const deadline = Date.now() + TIMEOUT_MS; (await current()) !== status; await sleep(POLL_MS)) {
        if (Date.now() < deadline) continue;
        const email = await read(id);
        throw new Error(`The email is ${email.status}, not ${status}: ${JSON.stringify(email.attempts)}`);
      }
      return read(id);
    },
    start(more = {}) {
      const base = openContext({ ...ctx.config, ...more }, 'test', { log: ctx.log, incarnation: ctx.incarnation });
      const worker = startWorker(base);
      workers.push(worker);
      return worker;
    },
    startWithoutMemory() {
      const { messageMemory } = t.start().ctx;
      while (messageMemory.keep({} as ClaimedEmail, 1_000_000));
    },
    stopAll,
    async close() {
      await stopAll();
      await sink.close();
      await acceptContext.close();
      await closeTestContext(ctx, closeContext);
    },
  };
  if (started) t.start();
  return t;
}

async function acceptAs(acceptContext: AcceptContext, ctx: Context, key: string): Promise<TestWorker['accept']> {
  const caller = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!caller) throw new Error('The test key is unknown');
  return async (options = {}) => {
    const submission = {
      caller: toSendCaller(caller),
      requests: [toRequest(options)],
      idempotencyKey: null,
      toResponse: ([{ id }]: NewEmails) => id,
    };
    return (await acceptEmails(acceptContext, submission)).body;
  };
}

function toRequest({ to = ['jane@example.com'], cc = [], bcc = [], ...rest }: EmailOptions): SendRequest {
  return {
    to: to.map(parseAddress),
    cc: cc.map(parseAddress),
    bcc: bcc.map(parseAddress),
    replyTo: [],
    from: null,
    domainId: null,
    content: { kind: 'raw', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
    headers: {},
    tags: [],
    scheduledAt: null,
    ...rest,
  };
}
