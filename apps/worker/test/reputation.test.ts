import { pauseWorkspace } from '@posthorn/domain/deliverability';
import { findWorkspace } from '@posthorn/domain/workspaces';
import { until } from '@posthorn/testing';
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
  Array.from({ length: count }, (_, index) => `${name}-${index}@example.com`);

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
