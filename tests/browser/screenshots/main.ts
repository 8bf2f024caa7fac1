import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, hashPassword } from '@posthorn/domain/accounts';
import { operator } from '@posthorn/domain/audit-log';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { ensureBrowser, findFreePort } from '@posthorn/servers';
import { startDnsServer, startSmtpSink } from '@posthorn/testing';
import { closeTestInbox } from '../../../apps/local/test/inbox-client.js';
import { startChild } from '../../../bench/support/child.js';
import { openStack } from '../../../bench/support/stack.js';
import { withSession } from '../call-api.js';
import { launchBrowser } from '../launch-browser.js';
import { replyFor } from './demo-emails.js';
import { openDemoInbox } from './demo-inbox.js';
import { openDemoReceiver } from './demo-webhook.js';
import { fillDemoWorkspace } from './fill-demo-workspace.js';
import { takeScreenshots } from './take-screenshots.js';

/** `npm run screenshots` starts a service, fills a demo workspace and replaces docs/screenshots/*.png. */
const ROOT = join(import.meta.dirname, '../../..');
const RATE_LIMIT_PER_MINUTE = 60;
const FOLDER = join(ROOT, 'docs/screenshots');

const owner = { email: 'ada@cornershop.example', password: 'a password for the screenshots' };
const stack = await openStack();
const dns = await startDnsServer();
const sink = await startSmtpSink({ reply: (_command, address) => replyFor(address) });
const receiver = await openDemoReceiver();
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  ...stack.env,
  PORT: String(port),
  PUBLIC_URL: url,
  SMTP_URL: sink.url,
  DNS_SERVERS: dns.address,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  PLATFORM_SENDER_DOMAIN: 'posthorn.example',
};
const api = await startChild(join(ROOT, 'apps/api/dist/main.js'), env, { isReady: /api_listening/ });
const worker = await startChild(join(ROOT, 'apps/worker/dist/main.js'), env, { isReady: /worker_ready/ });
const browser = await launchBrowser(await ensureBrowser((line) => process.stderr.write(`${line}\n`)));

const passwordHash = await hashPassword(owner.password, owner.email);
const account = { name: 'Corner Shop', email: owner.email, passwordHash, planId: 'pro' } as const;
const { workspaceId } = await createWorkspace(stack.ctx, account);
const session = await withSession(url, owner);
const workspace = await fillDemoWorkspace({ ctx: stack.ctx, workspaceId, dns, owner: session, receiver });
// Set last, because the workspace is filled faster than this limit allows.
await setWorkspaceLimits(stack.ctx, operator, workspaceId, { rate: RATE_LIMIT_PER_MINUTE });
mkdirSync(FOLDER, { recursive: true });
const inbox = await openDemoInbox();
await takeScreenshots({ browser, url, inboxUrl: inbox.url, owner, folder: FOLDER }, workspace);
await closeTestInbox(inbox);

await browser.close();
await worker.stop();
await api.stop();
await Promise.all([sink.close(), dns.close(), receiver.close()]);
await stack.close();
