import { createWorkspace } from '@posthorn/domain/accounts';
import { operator } from '@posthorn/domain/audit-log';
import { createWebhook, replayEvents } from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { type DnsServer, until } from '@posthorn/testing';
import { createWebhookSecret } from '@posthorn/webhooks';

/** What Free workspaces do with their webhooks. */
export type WebhookAttack = {
  readonly name: string;
  /** How long the target of the attack takes for an answer. */
  readonly answerMs: number;
  /** The most that the target may get in a second, and how many connections. */
  readonly most: { readonly posts: number; readonly connections: number };
  start(ctx: Context, target: AttackTarget): Promise<void>;
};

/** @property port of an HTTP server on every loopback address */
export type AttackTarget = { readonly port: number; readonly dns: DnsServer };

const WEBHOOKS = 50;
const MAX_REPLAYED_EVENTS = 1_530;

let workspaces = 0;

async function openWorkspace(ctx: Context): Promise<string> {
  workspaces += 1;
  const email = `webhooks${workspaces}@example.com`;
  const fields = { name: email, email, passwordHash: 'nobody logs in', planId: 'free' as const };
  return (await createWorkspace(ctx, fields)).workspaceId;
}

/** As the API does, apart from checking where the name leads to at that time. */
export async function addWebhook(ctx: Context, workspaceId: string, url: string): Promise<string> {
  const settings = {
    ...{ url, description: '', events: ['email.sent' as const], domainIds: null, tags: null },
    status: 'enabled' as const,
  };
  const workspace = { id: workspaceId, liveId: workspaceId };
  return (await createWebhook(ctx, operator, workspace, { settings, secret: createWebhookSecret() })).id;
}

/** Stores events as if emails had been sent. @returns their ids */
export async function storeEvents({ db }: Context, workspaceId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await db.raw(
    `insert into events (id, stream_id, sequence, workspace_id, type, recipient, detail, created_at)
     select id, id, 2, ?, 'email.sent', 'jane@example.com', '250 OK', now() from unnest(?::uuid[]) as id`,
    [workspaceId, ids],
  );
  return ids;
}

const amplifier: WebhookAttack = {
  name: 'webhook amplifier',
  answerMs: 0,
  // A Free workspace may begin 50 requests a second to a host. What one second leaves can be used in the next one.
  most: { posts: 150, connections: 64 },
  async start(ctx, { port }) {
    const workspaceId = await openWorkspace(ctx);
    const from = new Date(Date.now() - 60_000);
    await storeEvents(ctx, workspaceId, MAX_REPLAYED_EVENTS);
    const ids = [];
    for (let count = 0; count < WEBHOOKS; count += 1)
      ids.push(await addWebhook(ctx, workspaceId, `http://127.0.9.1:${port}/`));
    const replay = { from, to: new Date(Date.now() + 60_000) };
    for (const webhookId of ids)
      await until(async () => (await replayEvents(ctx, workspaceId, { webhookId, replay })) === MAX_REPLAYED_EVENTS);
  },
};

const slowDns: WebhookAttack = {
  name: 'slow DNS',
  answerMs: 0,
  most: { posts: 0, connections: 0 },
  async start(ctx, { port, dns }) {
    const workspaceId = await openWorkspace(ctx);
    for (let count = 0; count < WEBHOOKS; count += 1) {
      dns.fail(`hooks.slow${count}.example`, 'silence');
      await addWebhook(ctx, workspaceId, `http://hooks.slow${count}.example:${port}/`);
    }
    await storeEvents(ctx, workspaceId, 100);
  },
};

const SLOW_WORKSPACES = 120;

const slowReceivers: WebhookAttack = {
  name: 'slow receivers',
  answerMs: 14_800,
  most: { posts: 300, connections: 300 },
  async start(ctx, { port }) {
    for (let count = 1; count <= SLOW_WORKSPACES; count += 1) {
      const workspaceId = await openWorkspace(ctx);
      await addWebhook(ctx, workspaceId, `http://127.0.8.${count}:${port}/`);
      await storeEvents(ctx, workspaceId, 20);
    }
  },
};

export const webhookAttacks: readonly WebhookAttack[] = [amplifier, slowDns, slowReceivers];
