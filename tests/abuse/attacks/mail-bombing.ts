import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@posthorn/domain/limits';
import { type Child, startChild } from '../../../bench/support/child.js';
import { startSink } from '../../../bench/support/smtp-sink.js';
import { openWorkspace, type Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { ROOT, startApi } from '../start-api.js';

export const MAIL_BOMBING = 'mail bombing';

const VICTIM = 'mailbox@example.net';
const PASSWORD = 'a password of the attacker';
/** In every text that the attacker can write. */
const MARK = 'buynow';
const WEBHOOKS = 20;
/** Workers email owners within five seconds. */
const WAIT_MS = 7_000;

/** What one address gets at most in a day if nobody has confirmed it: docs/security.md. Resets are per hour. */
const MAX_MAILS = {
  'Confirm your email address': limits.verificationMails.max,
  'Reset your password': limits.resetLinks.max,
  'You have been invited to a workspace': limits.invitationMailsToAddress.max,
  // The only emails with text of the attacker, from the address of the attacker's workspace.
  [MARK]: limits.unverifiedSends.max,
};

/**
 * Signs up with someone else's address and does everything that could make the service email it: webhooks that are gone,
 * links that confirm and reset, invitations from a confirmed workspace, and emails from its own.
 * @returns the failures: more emails of a kind than documented, or text of the attacker in one
 */
export async function runMailBombing(stack: Stack, { seconds }: { seconds: number }): Promise<string[]> {
  const [sink, receiver] = [await startSink(), await startGoneReceiver()];
  const env = { RATE_LIMIT_PER_MINUTE: '600', SMTP_URL: sink.url, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const api = await startApi(stack, env);
  const workerEnv = { ...stack.env, ...env };
  const worker: Child = await startChild(join(ROOT, 'apps/worker/dist/main.js'), workerEnv, {
    isReady: /worker_ready/,
  });
  try {
    const { owner } = await openWorkspace(stack.ctx, `${MARK}-inviter`);
    const inviter = await openSession(api.url, '/auth/login', owner);
    const account = { email: VICTIM, password: PASSWORD, workspace_name: `${MARK} now` };
    const attacker = await openSession(api.url, '/auth/signup', account);
    await rename(api.url, inviter);
    const webhooks = await createWebhooks(api.url, attacker, receiver.url);
    const until = performance.now() + seconds * 1_000;
    while (performance.now() < until) await bomb({ url: api.url, attacker, inviter, webhooks });
    await sleep(WAIT_MS);
    return await report(stack, receiver.count());
  } finally {
    await worker.stop();
    await api.stop();
    await receiver.close();
    await sink.stop();
  }
}

/** A server that answers 410 to everything, so that webhooks to it are disabled at once. */
async function startGoneReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume();
    response.writeHead(410).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function call(url: string, method: string, cookie: string, body?: object): Promise<Response> {
  const headers = { Cookie: cookie, ...(body && { 'Content-Type': 'application/json' }) };
  return fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** @returns the session's cookie */
async function openSession(url: string, path: string, body: object): Promise<string> {
  const response = await call(`${url}${path}`, 'POST', '', body);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function rename(url: string, session: string): Promise<void> {
  const response = await call(`${url}/api/v1/workspace`, 'PATCH', session, { name: `${MARK} prize` });
  if (!response.ok) throw new Error(`Renaming answered ${response.status}`);
}

/** @returns their ids */
async function createWebhooks(url: string, session: string, target: string): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < WEBHOOKS; count += 1) {
    const webhook = { url: target, events: ['email.accepted'], description: MARK };
    const response = await call(`${url}/api/v1/webhooks`, 'POST', session, webhook);
    if (!response.ok) throw new Error(`Creating a webhook answered ${response.status}`);
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

type Bombing = {
  readonly url: string;
  readonly attacker: string;
  readonly inviter: string;
  readonly webhooks: string[];
};

/** One round. Most of the requests are refused sooner or later. */
async function bomb({ url, attacker, inviter, webhooks }: Bombing): Promise<void> {
  const trigger = async (id: string) => {
    await call(`${url}/api/v1/webhooks/${id}`, 'PATCH', attacker, { status: 'enabled' });
    await call(`${url}/api/v1/webhooks/${id}/test`, 'POST', attacker);
  };
  await Promise.all(webhooks.map(trigger));
  await call(`${url}/api/v1/emails`, 'POST', attacker, { to: [VICTIM], subject: MARK, text: MARK });
  await call(`${url}/auth/resend-verification`, 'POST', attacker);
  await call(`${url}/auth/forgot`, 'POST', '', { email: VICTIM });
  await call(`${url}/api/v1/members`, 'POST', attacker, { email: VICTIM, role: 'owner' });
  const invited = await call(`${url}/api/v1/members`, 'POST', inviter, { email: VICTIM, role: 'owner' });
  const { id } = (await invited.json()) as { id?: string };
  if (id !== undefined) await call(`${url}/api/v1/members/${id}`, 'DELETE', inviter);
}

async function report({ ctx }: Stack, requests: number): Promise<string[]> {
  const mails: Array<{ subject: string; text: string; html: string }> = await ctx
    .db('emails')
    .join('email_contents', 'email_contents.email_id', 'emails.id')
    .select('subject', 'text', 'html')
    .whereRaw('? = any("to")', [VICTIM]);
  const counts = new Map<string, number>();
  for (const { subject } of mails) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  const rows = [...counts].map(([subject, count]) => ({ [MAIL_BOMBING]: subject, emails: count }));
  process.stdout.write(`${table(rows)}\n\n`);
  const kinds: Readonly<Record<string, number>> = MAX_MAILS;
  // The inviter's confirmed address is named. It is the only text that may contain the mark.
  const ofService = mails.filter(({ subject }) => subject !== MARK);
  const marked = ofService.filter((mail) =>
    [mail.text, mail.html].some((part) => part.replaceAll(`${MARK}-inviter@example.com`, '').includes(MARK)),
  );
  return [
    ...(requests > 0 ? [] : ['no webhook was called, so nothing was tried']),
    ...[...counts]
      .filter(([subject, count]) => count > (kinds[subject] ?? 0))
      .map(([subject, count]) => `the victim got ${count} emails "${subject}"; the limit is ${kinds[subject] ?? 0}`),
    ...(marked.length === 0 ? [] : [`${marked.length} emails from the service contained text of the attacker`]),
  ].map((failure) => `${MAIL_BOMBING}: ${failure}`);
}
