import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@posthorn/servers';
import { startRawSmtpServer } from '@posthorn/testing';
import { startChild } from './support/child.js';
import { report } from './support/report.js';
import { openStack } from './support/stack.js';

/**
 * Measures how many bytes an email takes: in the write-ahead log and on disk. Bytes do not depend on how fast the
 * machine is.
 */
const EMAILS = Number(process.env.EMAILS ?? 3_000);
/** Kilobytes of html, random so that Postgres cannot compress them. */
const BODIES = (process.env.BODIES ?? '1,8').split(',').map(Number);
const CONNECTIONS = 20;
const RETRY_MS = 50;

const ROOT = join(import.meta.dirname, '..');
const stack = await openStack();
const server = await startRawSmtpServer(() => undefined);
const env = { ...stack.env, NODE_ENV: 'bench', SMTP_URL: server.url };
const port = await freePort();
const api = await startChild(
  join(ROOT, 'apps/api/dist/main.js'),
  { ...env, PORT: String(port) },
  { isReady: /api_listening/ },
);
const worker = await startChild(join(ROOT, 'apps/worker/dist/main.js'), env, { isReady: /worker_ready/ });

// Fills the pages that already exist, which are logged as a whole the first time they change.
await send(1, EMAILS);
const rows = [];
for (const kilobytes of BODIES) rows.push(await measure(kilobytes));
await worker.stop();
await api.stop();
await server.close();
await stack.close();
report('bytes', rows, undefined, { EMAILS, ...stack.versions });

async function measure(kilobytes: number) {
  const before = { log: await logBytes(), disk: await diskBytes() };
  await send(kilobytes, EMAILS);
  const each = (after: number, earlier: number) => Math.round((after - earlier) / EMAILS);
  const log = each(await logBytes(), before.log);
  const disk = await diskBytes();
  return {
    'html kB': kilobytes,
    'log bytes': log,
    'content bytes': each(disk.content, before.disk.content),
    'key bytes': each(disk.keys, before.disk.keys),
    'other bytes': each(disk.rest, before.disk.rest),
  };
}

/** Sends emails with a key each, and waits until all are delivered. */
async function send(kilobytes: number, emails: number): Promise<void> {
  let left = emails;
  const sendSome = async () => {
    while (left > 0) {
      left -= 1;
      await sendOne(randomBytes(kilobytes * 500).toString('hex'));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
  for (;;) {
    const { rows: waiting } = await stack.ctx.db.raw('select from deliveries limit 1');
    if (waiting.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function sendOne(html: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/emails`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${stack.key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify({ to: ['jane@example.com'], subject: 'Your receipt', html }),
  });
  if (response.status !== 202) throw new Error(`A send returned ${response.status}: ${await response.text()}`);
  await response.text();
}

async function logBytes(): Promise<number> {
  const { rows: found } = await stack.ctx.db.raw("select pg_current_wal_insert_lsn() - '0/0' as bytes");
  return Number(found[0].bytes);
}

/** With indexes. The queue is left out, because it is empty again. */
async function diskBytes(): Promise<{ content: number; keys: number; rest: number }> {
  await stack.ctx.db.raw('vacuum');
  const { rows: found } = await stack.ctx.db.raw(`
    select sum(bytes) filter (where relname like 'email_contents%')::float8 as content,
      sum(bytes) filter (where relname = 'idempotency_keys')::float8 as keys,
      sum(bytes) filter (where relname !~ '^(email_contents|idempotency_keys|deliveries)')::float8 as rest
    from pg_class, pg_total_relation_size(oid) as bytes
    where relnamespace = 'public'::regnamespace and relkind = 'r'`);
  return found[0];
}
