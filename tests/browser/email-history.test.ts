import { randomBytes } from 'node:crypto';
import { insertReports } from '@posthorn/domain/bounces';
import { newId } from '@posthorn/platform/values';
import { sendEmail, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { untilStatus } from './fill-workspace.js';
import { openAs } from './show-page.js';

describeInBrowser('the page of an email with many events and attempts', (t) => {
  test('shows the newest first and loads the older ones on request', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const email = { to: ['jane@example.com'], subject: 'Your order', text: 'It is on its way.' };
    const id = await sendEmail(caller, email);
    await untilStatus(caller, id, 'sent');
    const row = { email_id: id, workspace_id: tenant.workspaceId };
    const numbers = Array.from({ length: 150 }, (_, index) => index + 2);
    await t.ctx.db.batchInsert(
      'delivery_attempts',
      numbers.map((attempt) => ({ ...row, attempt, outcome: 'deferred', phase: 'connect', started_at: new Date() })),
    );
    await t.ctx.db.batchInsert(
      'events',
      numbers.map((number) => ({
        id: newId(),
        stream_id: id,
        sequence: number + 1,
        workspace_id: tenant.workspaceId,
        type: 'email.deferred',
        detail: `Reply ${number}.`,
        created_at: new Date(),
      })),
    );

    const page = await openAs(t, tenant, `/emails/${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Reply 151.').waitFor();
    expect(await timeline.getByRole('listitem').count()).toBe(100);
    await timeline.getByRole('button', { name: 'Show older events' }).click();
    await timeline.getByText('Accepted', { exact: true }).waitFor();
    expect(await timeline.getByRole('listitem').count()).toBe(152);
    expect(await timeline.getByRole('button', { name: 'Show older events' }).count()).toBe(0);

    const attempts = page.getByRole('region', { name: 'Delivery attempts' });
    expect(await attempts.getByRole('button', { name: /^Attempt / }).count()).toBe(100);
    await attempts.getByRole('button', { name: 'Show older attempts' }).click();
    await attempts.getByRole('button', { name: /^Attempt 1: / }).waitFor();
    expect(await attempts.getByRole('button', { name: /^Attempt / }).count()).toBe(151);
  });

  test('shows the reports of other mail servers as they were received', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const email = { to: ['jane@example.com'], subject: 'Your order', text: 'It is on its way.' };
    const id = await sendEmail(caller, email);
    await untilStatus(caller, id, 'sent');
    const raw = Buffer.from('Subject: Undelivered\r\n\r\n<img src=x onerror=alert(1)> 550 No such user');
    const envelope = { emailId: id, positions: [0] };
    const report = { envelope, mailbox: null, peer: null, raw, size: raw.length, digest: randomBytes(32) };
    await insertReports(t.ctx.db, [report]);
    await t.ctx.db('feedback_reports').where({ email_id: id }).update({ kind: 'dsn', result: 'applied', due_at: null });

    const page = await openAs(t, tenant, `/emails/${id}`);
    const reports = page.getByRole('region', { name: 'Reports' });
    await reports.getByRole('button', { name: /^Delivery report: see the timeline/ }).click();
    await reports.getByText('<img src=x onerror=alert(1)> 550 No such user').waitFor();
    await expectAccessible(page);
  });
});
