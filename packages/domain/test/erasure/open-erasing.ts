import {
  type AcceptContext,
  acceptEmails,
  type NewEmails,
  openAcceptContext,
  type SendRequest,
} from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import { authenticateKey, createKeyCache } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { type EmailDetail, findEmail } from '@posthorn/domain/emails';
import { type Erasure, eraseNextBatch, findErasure, requestErasure } from '@posthorn/domain/erasure';
import { parseAddress } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

type EmailOptions = { to?: string[]; cc?: string[]; replyTo?: string[] } & Partial<
  Omit<SendRequest, 'to' | 'cc' | 'replyTo'>
>;

export type Erasing = {
  readonly ctx: Context;
  readonly workspaceId: string;
  /** Accepts an email. @returns its id */
  accept(options?: EmailOptions): Promise<string>;
  /** Ends an email as a worker does after the mail server has accepted it for everybody who was waiting. */
  finish(id: string): Promise<void>;
  read(id: string): Promise<EmailDetail>;
  request(address?: string): Promise<Erasure>;
  /** Works on all erasures until only waiting is left. @returns this one */
  work(erasure: Erasure): Promise<Erasure>;
  close(): Promise<void>;
};

/** A workspace whose emails no worker sends. */
export async function openErasing(): Promise<Erasing> {
  const ctx = await openTestContext({
    ownDatabase: 'it works on the erasures of all workspaces',
    config: { rateLimitPerMinute: 100_000 },
  });
  const accepting = openAcceptContext(ctx);
  const { workspaceId, key } = await createTestWorkspace(ctx, { planId: 'pro' });
  const caller = await authenticateKey({ ...ctx, credentials: { keys: createKeyCache() } }, key);
  if (!caller) throw new Error('The test key is unknown');
  return {
    ctx,
    workspaceId,
    accept: (options = {}) => accept(accepting, toSendCaller(caller), options),
    finish: (id) => finish(ctx, id),
    async read(id) {
      const email = await findEmail(ctx.db, workspaceId, id, { withContent: true });
      if (!email) throw new Error(`There is no email ${id}`);
      return email;
    },
    request: (address = 'jane@example.com') => requestErasure(ctx, operator, { workspaceId, address }),
    async work({ id }) {
      await ctx
        .db('erasures')
        .whereNotNull('due_at')
        .update({ due_at: new Date(0) });
      while (await eraseNextBatch(ctx, { lateResponseSeconds: 0 }));
      return (await findErasure(ctx.db, workspaceId, id)) as Erasure;
    },
    async close() {
      await accepting.close();
      await closeTestContext(ctx);
    },
  };
}

type Caller = Parameters<typeof acceptEmails>[1]['caller'];

async function accept(accepting: AcceptContext, caller: Caller, options: EmailOptions): Promise<string> {
  const { to = ['jane@example.com'], cc = [], replyTo = [], ...rest } = options;
  const request: SendRequest = {
    to: to.map(parseAddress),
    cc: cc.map(parseAddress),
    bcc: [],
    replyTo: replyTo.map(parseAddress),
    from: null,
    domainId: null,
    content: { kind: 'raw', subject: 'Hello', html: null, text: 'Hi' },
    headers: {},
    tags: [],
    scheduledAt: null,
    ...rest,
  };
  const toResponse = ([{ id }]: NewEmails) => id;
  return (await acceptEmails(accepting, { caller, requests: [request], idempotencyKey: null, toResponse })).body;
}

async function finish({ db }: Context, id: string): Promise<void> {
  await db('deliveries').where({ email_id: id }).delete();
  await db('email_recipients')
    .where({ email_id: id })
    .whereIn('status', ['queued', 'deferred'])
    .update({ status: 'sent' });
  await db('emails').where({ id }).update({ status: 'sent' });
}
