import { operator } from '@posthorn/domain/audit-log';
import { pauseWorkspace } from '@posthorn/domain/deliverability';
import { eraseNextBatch, requestErasure } from '@posthorn/domain/erasure';
import { findWorkspace } from '@posthorn/domain/workspaces';
import { until } from '@posthorn/testing';
import { countAll } from '../../../packages/domain/test/deliverability/reputation-fixtures.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;

beforeEach(async () => {
  t = await openTestWorker({
    sink: {
      reply: (command, address) =>
        command === 'RCPT' && address.startsWith('gone-') ? { code: 550, text: '5.1.1 No such user' } : undefined,
    },
  });
});

afterEach(() => t.close());

const addresses = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}@shop-${index}.example`);

test('workers pause a workspace whose emails bounce, and tell the owner', async () => {
  t.start();
  await t.accept({ to: addresses('jane', 50) });
  await t.accept({ to: [...addresses('joe', 45), ...addresses('gone', 5)] });
  await until(async () => (await findWorkspace(t.ctx.db, t.workspaceId, 60))?.pause !== null);
  const mails = () => t.ctx.db('emails').where({ subject: 'Sending is paused', status: 'sent' });
  await until(async () => (await mails()).length === 1);
  expect(await t.ctx.db('sending_stats')).toMatchObject([
    { workspace_id: t.workspaceId, domain_id: null, sent: 100, bounced: 5, hard_bounced: 5, complained: 0 },
  ]);
});

test('emails that were accepted before the pause are still sent', async () => {
  await t.stopAll();
  const id = await t.accept();
  await pauseWorkspace(t.ctx, t.workspaceId, 'Too many emails bounced.');
  t.start();
  await t.until(id, 'sent');
});

test('mail for the simulator does not count, even if its recipients were erased before they were counted', async () => {
  const simulated = ['bounced', 'delivered', 'complained', 'deferred'].map(
    (name) => `${name}+1@${t.ctx.config.simulatorDomain}`,
  );
  const id = await t.accept({ to: ['jane@example.com', ...simulated] });
  await t.until(id, 'complained');
  await t.stopAll();
  for (const address of simulated) await requestErasure(t.ctx, operator, { workspaceId: t.workspaceId, address });
  await until(async () => {
    await t.ctx
      .db('erasures')
      .update({ due_at: new Date(0) })
      .whereNotNull('due_at');
    await eraseNextBatch(t.ctx, { lateResponseSeconds: 0 });
    return !JSON.stringify(await t.read(id)).includes(t.ctx.config.simulatorDomain);
  });
  // A worker may have counted the events already.
  await t.ctx.db('sending_stats').delete();
  await t.ctx.db('bounces').delete();
  await t.ctx.db('sending_stats_cursor').update({ position: 0 });
  await countAll(t.ctx);
  expect(await t.ctx.db('sending_stats')).toMatchObject([{ sent: 1, bounced: 0, hard_bounced: 0, complained: 0 }]);
  expect(await t.ctx.db('bounces')).toEqual([]);
});
