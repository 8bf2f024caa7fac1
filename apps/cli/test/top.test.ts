import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from '@posthorn/domain/monitoring';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

let ctx: Context;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'the command counts the emails of all workspaces' });
});

afterAll(() => closeTestContext(ctx));

/** Adds due emails that have waited for `seconds` to the queue. */
async function addDue(workspaceId: string, count: number, seconds: number): Promise<void> {
  await ctx.db.raw(
    `insert into deliveries (email_id, workspace_id, due_at, is_due)
     select gen_random_uuid(), ?, now() - ? * interval '1 second', true from generate_series(1, ?)`,
    [workspaceId, seconds, count],
  );
}

type Logged = { workspaceId: string; type: string; recipient?: string; detail?: string; route?: string };

/** Adds an event of a new email to the log, and the attempt that caused it if there is a route. */
async function addEvent({ workspaceId, type, recipient, detail, route }: Logged): Promise<void> {
  const id = newId();
  const event = { id: newId(), stream_id: id, sequence: 1, workspace_id: workspaceId, created_at: new Date() };
  await ctx.db('events').insert({ ...event, type: `email.${type}`, recipient, detail });
  if (route === undefined) return;
  const attempt = { email_id: id, workspace_id: workspaceId, attempt: 1, phase: 'reply', started_at: new Date() };
  await ctx.db('delivery_attempts').insert({ ...attempt, route, outcome: type, ended_at: new Date() });
}

test('top shows the workspace that floods the queue, the relays, and the destinations that defer', async () => {
  const quiet = await createTestWorkspace(ctx);
  const flooding = await createTestWorkspace(ctx);
  await addDue(quiet.workspaceId, 2, 5);
  await addDue(flooding.workspaceId, 2_500, 300);
  for (const type of ['accepted', 'accepted', 'sent'])
    await addEvent({ workspaceId: flooding.workspaceId, type, recipient: 'jane@Fast.example', route: 'one:25' });
  const slow = { workspaceId: quiet.workspaceId, type: 'deferred', recipient: 'joe@slow.example', route: 'two:25' };
  await addEvent({ ...slow, detail: '451 Too many connections' });
  // This email waits for its next attempt.
  const id = newId();
  await ctx.db.raw(
    `insert into deliveries (email_id, workspace_id, due_at, is_due, attempt) values (?, ?, now() + interval '1 hour', false, 1)`,
    [id, quiet.workspaceId],
  );
  await ctx.db('email_recipients').insert({
    email_id: id,
    workspace_id: quiet.workspaceId,
    position: 0,
    kind: 'to',
    address: 'ann@slow.example',
    status: 'deferred',
    updated_at: new Date(),
  });

  const top = parseOutput(await posthornFor(ctx)('top', '--json'));
  expect(top.oldest_due_seconds).toBeGreaterThanOrEqual(300);
  expect(top.workspaces).toMatchObject([
    { id: flooding.workspaceId, waiting: 2_500, accepted_per_minute: 2, sent_per_minute: 1, mode: 'live' },
    { id: quiet.workspaceId, waiting: 2, accepted_per_minute: 0 },
  ]);
  expect(top.workspaces[0].oldest_seconds).toBeGreaterThanOrEqual(300);
  expect(top.attempts).toContainEqual({ relay: 'one:25', outcome: 'sent', attempts: 1 });
  expect(top.attempts).toContainEqual({ relay: 'two:25', outcome: 'deferred', attempts: 1 });
  expect(top.destinations[0]).toEqual({
    domain: 'slow.example',
    deferred_waiting: 1,
    sent_per_minute: 0,
    deferred_per_minute: 1,
    bounced_per_minute: 0,
    last_reply: '451 Too many connections',
  });
  expect(top.destinations[1]).toMatchObject({ domain: 'fast.example', sent_per_minute: 1 });
});

test('top reads the state of the relays from the metrics of workers, and prints plain text without a terminal', async () => {
  const worker: Server = createServer((_, response) =>
    response.end('posthorn_relay_state{relay="one:25"} 0\nposthorn_smtp_sessions{relay="one:25"} 3\n'),
  );
  await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`;
  const { code, stdout } = await posthornFor(ctx)('top', '--worker', url, '--worker', 'http://127.0.0.1:1');
  worker.close();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^oldest_due_seconds +\d+$/m);
  expect(stdout).toMatch(/^one:25 +true +3$/m);
  expect(stdout).toMatch(/^unreachable_workers +http:\/\/127\.0\.0\.1:1$/m);
  expect(stdout).not.toContain('\u001b');
});

test('the statements of top use indexes only', async () => {
  const statements: string[] = [];
  ctx.db.on('query', ({ sql, bindings }) => {
    // All values are numbers.
    if (!sql.startsWith('explain'))
      statements.push(sql.replace(/\$(\d+)/g, (_: string, n: string) => String(bindings[Number(n) - 1])));
  });
  for (const read of [readWorkspaceActivity, readAttemptActivity, readDestinationActivity]) await read(ctx.db);
  expect(statements).toHaveLength(3);
  for (const sql of statements) {
    const { rows } = await ctx.db.raw(`explain ${sql}`);
    const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (deliveries|events|email|delivery_attempts)/);
  }
});
