import { once } from 'node:events';
import { prepareRestore } from '@posthorn/domain/restores';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { type RunningProcess, startProcess } from '../processes.js';

const apps = ['api', 'worker', 'inbound', 'tracking'] as const;

let ctx: Context;
let processes: RunningProcess[];

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'a restore begins a new incarnation of the whole database' });
  const env = {
    ...{ SMTP_URL: 'smtp://127.0.0.1:1', TRACKING_URL: 'http://localhost:3001' },
    ...{ INBOUND_PORT: '0', TRACKING_PORT: '0', METRICS_PORT: '0' },
  };
  processes = await Promise.all(apps.map((app) => startProcess(app, ctx, env)));
});

afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await closeTestContext(ctx);
});

test('every process that runs during `restore prepare` stops with exit code 1, so that its supervisor restarts it', async () => {
  const exits = processes.map(async ({ child }) => (child.exitCode === null ? await once(child, 'exit') : [])[0]);
  await prepareRestore(ctx.config.databaseUrl);
  expect(await Promise.all(exits)).toEqual([1, 1, 1, 1]);
  for (const { lines } of processes) expect(lines.join('\n')).toContain('"reason":"database_was_restored"');
});
