import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, type MoveStep, migrateDatabase, moveWorkspace } from '@posthorn/domain';
import { type Postgres, startPostgres } from '@posthorn/servers';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  type SmtpSink,
  startSmtpSink,
  type TestWorkspace,
  until,
} from '@posthorn/testing';
import { type RunningProcess, startProcess } from '../processes.js';
import { startWebhookReceiver, type WebhookReceiver } from '../rig/webhook-receiver.js';

const STEPS: readonly MoveStep[] = ['copied', 'held back', 'verified', 'switched', 'released'];
const DEFERRED = 20;
/** Tables that the target's worker does not change when it continues. */
const UNCHANGED = [
  'api_keys',
  'blobs',
  'email_attachments',
  'email_contents',
  'email_recipients',
  'email_tags',
  'emails',
].concat('memberships', 'suppressions', 'template_versions', 'templates', 'usage', 'webhooks');

let folder: string;
let postgres: Postgres;
let source: Context;
let target: Context;
let sink: SmtpSink;
let processes: RunningProcess[];
let [sourceApi, targetApi]: RunningProcess[] = [];
let tenant: TestWorkspace;
let other: TestWorkspace;
let receiver: WebhookReceiver;
let isBusy = true;
let meanwhile = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-move-'));
  postgres = await startPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  await migrateDatabase(postgres.url);
  [source, target] = [
    await openTestContext({ ownDatabase: 'a worker claims the emails of all workspaces' }),
    await openTestContext({ config: { databaseUrl: postgres.url } }),
  ];
  [tenant, other] = [await createTestWorkspace(source), await createTestWorkspace(source)];
  sink = await startSmtpSink({
    reply: (command, address) =>
      command === 'RCPT' && address.startsWith('later') && isBusy ? { code: 451, text: 'Later' } : undefined,
  });
  receiver = await startWebhookReceiver(() => 0);
  const env = {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    SMTP_URL: sink.url,
    RETRY_SCHEDULE: '2,2,2,2,2,2,2,2,2,2,2,2',
    RATE_LIMIT_PER_MINUTE: '10000',
  };
  processes = [
    await startProcess('api', source, env),
    await startProcess('worker', source, env),
    await startProcess('api', target, env),
    await startProcess('worker', target, env),
  ];
  [sourceApi, , targetApi] = processes;
}, 180_000);

afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await sink.close();
  await receiver.close();
  await closeTestContext(source);
  await closeTestContext(target);
  await postgres.stopImmediately();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

type Json = Record<string, unknown>;

async function request(api: RunningProcess | undefined, path: string, body?: Json, { key } = tenant) {
  const response = await fetch(`${api?.url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

async function post(path: string, body: Json, of = tenant): Promise<Json> {
  const { status, body: answer } = await request(sourceApi, path, body, of);
  if (status >= 300) throw new Error(`${path} returned ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Every row that names a workspace, by table. */
async function rowsOf({ db }: Context, id: string): Promise<Record<string, number>> {
  const { rows } = await db.raw(
    `select table_name as name from information_schema.columns join pg_class on relname = table_name
     where column_name = 'workspace_id' and table_schema = 'public' and not relispartition order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: found } = await db.raw('select count(*)::int as count from ?? where workspace_id = ?', [name, id]);
    counts[name] = found[0].count;
  }
  return counts;
}

const later = (index: number) => ({ to: [`later${index}@example.com`], subject: `Later ${index}`, text: 'Hi' });
const copiesOf = (subject: string) => sink.messages.filter(({ parsed }) => parsed.subject === subject).length;

class Killed extends Error {}

const move = (stopAfter: MoveStep | null) =>
  moveWorkspace(
    { source: source.db, target: target.db },
    {
      id: tenant.workspaceId,
      movedTo: 'https://two.example',
      graceMs: 1_000,
      drainMs: 60_000,
      onStep: async (step) => {
        if (step === 'held back') await whileLeaving();
        if (step === stopAfter) throw new Killed();
      },
    },
  );

async function whileLeaving(): Promise<void> {
  const refused = await request(sourceApi, '/emails', later(999));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  await post('/emails', { to: ['other@example.com'], subject: 'Meanwhile', text: 'Hi' }, other);
  meanwhile += 1;
}

test('a workspace moves with everything it has, is sent once, and another one is not affected', async () => {
  await post('/webhooks', { url: receiver.url, events: ['email.accepted', 'email.sent'] });
  const template = await post('/templates', {
    name: 'Receipt',
    subject: 'Receipt',
    html_body: '<p>Hi {{name}}</p>',
    text_body: 'Hi',
  });
  await post('/suppressions', { address: 'gone@example.com' });
  for (let index = 0; index < DEFERRED; index += 1) await post('/emails', later(index));
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const scheduled = await post('/emails', { ...later(100), scheduled_at: scheduledAt });
  const file = { filename: 'a.txt', content: Buffer.from('attached').toString('base64'), content_type: 'text/plain' };
  await post('/emails', { ...later(101), attachments: [file] });
  await post('/emails', { to: ['now@example.com'], template_id: template.id, template_vars: { name: 'Jane' } });
  await post('/emails', { to: ['now@example.com'], subject: 'Other', text: 'Hi' }, other);
  await until(() => copiesOf('Receipt') === 1 && copiesOf('Other') === 1);
  await until(async () => (await source.db('delivery_attempts').where({ outcome: 'deferred' })).length > DEFERRED);
  const { body: log } = await request(sourceApi, '/events?limit=100');

  for (const step of STEPS) await expect(move(step)).rejects.toThrow(Killed);
  await move(null);
  const moved = await rowsOf(source, tenant.workspaceId);

  const arrived = await rowsOf(target, tenant.workspaceId);
  for (const table of UNCHANGED) expect([table, arrived[table]]).toEqual([table, moved[table]]);
  expect(moved.usage).toBe(2);
  expect([moved.deliveries, arrived.deliveries]).toEqual([0, DEFERRED + 2]);

  // For half a second, the API remembers that the workspace was being moved.
  await until(async () => (await request(sourceApi, '/emails')).status !== 503);
  const refused = await request(sourceApi, '/emails');
  expect(refused.status).toBe(421);
  expect(refused.body).toMatchObject({
    code: 'workspace_moved',
    detail: expect.stringContaining('https://two.example'),
  });
  const { body: list } = await request(targetApi, '/emails?limit=100');
  expect((list.data as Json[]).length).toBe(DEFERRED + 3);
  const { body: found } = await request(targetApi, `/emails/${scheduled.id}`);
  expect(found.status).toBe('scheduled');
  expect((await request(targetApi, '/suppressions')).body.data).toHaveLength(1);
  expect((await request(targetApi, `/templates/${template.id}`)).status).toBe(200);

  isBusy = false;
  await until(() =>
    Array.from({ length: DEFERRED }, (_, index) => copiesOf(`Later ${index}`)).every((copies) => copies > 0),
  );
  await until(() => copiesOf('Later 101') > 0);
  const withFile = sink.messages.find(({ parsed }) => parsed.subject === 'Later 101');
  expect(withFile?.parsed.attachments[0]?.filename).toBe('a.txt');
  for (const index of [...Array(DEFERRED).keys(), 101]) expect(copiesOf(`Later ${index}`)).toBe(1);
  expect(copiesOf('Receipt')).toBe(1);

  // The cursor of the source is valid in the target, and nothing after it is missing.
  await until(async () => {
    // Without the type, a page could be full of deferrals.
    const { body: rest } = await request(targetApi, `/events?limit=100&type=email.sent&after=${log.next_cursor}`);
    return (rest.data as Json[]).length === DEFERRED + 1;
  });
  // Two for each email that was sent, and one for the scheduled one.
  await until(() => receiver.bodies.size === 2 * (DEFERRED + 2) + 1);
  expect(await rowsOf(source, tenant.workspaceId)).toEqual(moved);
  const nothing = await rowsOf(target, other.workspaceId);
  expect(Object.values(nothing).reduce((sum, count) => sum + count, 0)).toBe(0);
  const { body: usage } = await request(sourceApi, '/emails/stats', undefined, other);
  expect(usage.emails).toBe(1 + meanwhile);
}, 240_000);
