import {
  type AcceptContext,
  acceptEmail,
  type Config,
  type Context,
  closeContext,
  type EmailDetail,
  type EmailStatus,
  findEmail,
  keyAuthenticator,
  type Log,
  openAcceptContext,
  openContext,
  parseAddress,
  type SendRequest,
} from '@posthorn/domain';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from '@posthorn/testing';
import { type RunningWorker, startWorker } from '../src/worker.js';

const PATIENCE_MS = 15_000;
const POLL_MS = 20;
const MAILS_OF_A_BELL = 50;

export type Wanted = { to?: string[]; cc?: string[]; bcc?: string[] } & Partial<Omit<SendRequest, 'to' | 'cc' | 'bcc'>>;

export type TestWorker = {
  readonly ctx: Context;
  readonly sink: SmtpSink;
  readonly workspaceId: string;
  readonly slug: string;
  /** Accepts an email as the API does. @returns its id */
  accept(wanted?: Wanted): Promise<string>;
  /** Another workspace, to accept emails for; `read` and `until` know nothing of it. */
  otherTenant(): Promise<Pick<TestWorker, 'workspaceId' | 'accept'>>;
  /** Announces emails of `workspaceId` as the ledger does, 50 to a bell. */
  ring(ids: readonly string[]): void;
  read(id: string): Promise<EmailDetail>;
  /** Waits until the email is in this state. @throws Error with the state it is in instead */
  until(id: string, status: EmailStatus): Promise<EmailDetail>;
  /** One more worker on the same Postgres and Redis, closed with the rest. */
  start(config?: Partial<Config>): RunningWorker;
  /** Stops the workers of now. */
  stopAll(): Promise<void>;
  close(): Promise<void>;
};

/** Postgres, Redis, an SMTP server and, unless told otherwise, one worker. */
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
    sweepIntervalMs: 50,
    leaseSeconds: 3,
    retryScheduleSeconds: [1, 1],
    ...config,
  };
  const ctx = await openTestContext({ config: { ...settings, rateLimitPerMinute: 100_000 }, ...(log && { log }) });
  const tenant = await createTestWorkspace(ctx, { planId: 'pro' });
  const acceptance = openAcceptContext(ctx);
  const workers: RunningWorker[] = [];
  const stopAll = async () => void (await Promise.all(workers.splice(0).map((worker) => worker.stop())));
  const read = async (id: string) => {
    const email = await findEmail(ctx.db, tenant.workspaceId, id, { withContent: true });
    if (!email) throw new Error(`There is no email ${id}`);
    return email;
  };
  const t: TestWorker = {
    ctx,
    sink,
    workspaceId: tenant.workspaceId,
    slug: tenant.slug,
    accept: await acceptorOf(acceptance, ctx, tenant.key),
    async otherTenant() {
      const { workspaceId, key } = await createTestWorkspace(ctx, { planId: 'pro' });
      return { workspaceId, accept: await acceptorOf(acceptance, ctx, key) };
    },
    ring(ids) {
      const mails = ids.map((id) => [id, tenant.workspaceId] as const);
      for (let i = 0; i < mails.length; i += MAILS_OF_A_BELL)
        acceptance.deliveryJobs.announce(mails.slice(i, i + MAILS_OF_A_BELL));
    },
    read,
    async until(id, status) {
      for (const deadline = Date.now() + PATIENCE_MS; ; ) {
        const email = await read(id);
        if (email.status === status) return email;
        if (Date.now() > deadline)
          throw new Error(`The email is ${email.status}, not ${status}: ${JSON.stringify(email.attempts)}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    start(more = {}) {
      const base = openContext({ ...ctx.config, ...more }, 'test', { log: ctx.log });
      const worker = startWorker(base);
      workers.push(worker);
      return worker;
    },
    stopAll,
    async close() {
      await stopAll();
      await sink.close();
      await acceptance.close();
      await closeTestContext(ctx, closeContext);
    },
  };
  if (started) t.start();
  return t;
}

async function acceptorOf(acceptance: AcceptContext, ctx: Context, key: string): Promise<TestWorker['accept']> {
  const caller = await keyAuthenticator(ctx)(key);
  if (!caller) throw new Error('The test key is not known');
  return async (wanted = {}) => {
    const submission = {
      caller,
      request: toRequest(wanted),
      idempotencyKey: null,
      toResponse: ({ id }: { id: string }) => id,
    };
    return (await acceptEmail(acceptance, submission)).body;
  };
}

function toRequest({ to = ['jane@example.com'], cc = [], bcc = [], ...rest }: Wanted): SendRequest {
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
