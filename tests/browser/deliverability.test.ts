import type { AcceptedEmail, Deliverability } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { pauseWorkspace, resumeWorkspace } from '@posthorn/domain/deliverability';
import { setPlan } from '@posthorn/domain/workspaces';
import { type TestWorkspace, until } from '@posthorn/testing';
import { type Caller, callApi, post, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs, showPage } from './show-page.js';

const RECIPIENTS_PER_EMAIL = 50;

/** Refused by the mail server with these replies. */
const refused = {
  'gone-1@example.com': { code: 550, text: '5.1.1 No such mailbox' },
  'gone-2@example.de': { code: 550, text: '5.1.1 No such mailbox' },
  'gone-3@example.org': { code: 550, text: '5.1.1 No such mailbox' },
  'gone-4@example.net': { code: 550, text: '5.1.1 No such mailbox' },
  'gone-5@example.fr': { code: 550, text: '5.1.1 No such mailbox' },
  'spam@example.com': { code: 554, text: '5.6.0 Message looks like spam' },
};

describeInBrowser('the deliverability page', (t) => {
  async function newSender(): Promise<{ tenant: TestWorkspace; caller: Caller }> {
    const tenant = await t.newTenant();
    await setPlan(t.ctx, operator, tenant.workspaceId, 'pro');
    return { tenant, caller: withKey(t.url, tenant.key) };
  }

  const send = (caller: Caller, to: readonly string[]) =>
    callApi<AcceptedEmail>(caller, 'POST', '/api/v1/emails', { to, subject: 'News', text: 'Hello' });

  const report = (caller: Caller) => callApi<Deliverability>(caller, 'GET', '/api/v1/deliverability');

  /** Sends to so many recipients that 5% of them bounce, and waits until a worker has paused the workspace. */
  async function sendUntilPaused(caller: Caller): Promise<void> {
    for (const [address, reply] of Object.entries(refused)) t.replies.set(address, reply);
    const others = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => `reader-${first + index}@example.com`);
    await send(caller, others(0, RECIPIENTS_PER_EMAIL));
    const bounced = Object.keys(refused);
    await send(caller, [...bounced, ...others(RECIPIENTS_PER_EMAIL, RECIPIENTS_PER_EMAIL - bounced.length)]);
    await until('the workspace is paused', async () => (await report(caller)).status === 'paused');
  }

  test('says what to do before anything was sent', async () => {
    const { tenant } = await newSender();
    const page = await openAs(t, tenant, '/');
    await page.getByRole('link', { name: 'Deliverability' }).click();
    await page.getByRole('heading', { name: 'Nothing sent yet' }).waitFor();
    await expectAccessible(page);
  });

  test('shows the rates, why emails bounced and for whom, and that sending is paused', async () => {
    const { tenant, caller } = await newSender();
    await sendUntilPaused(caller);
    expect((await post(caller, '/api/v1/emails', { to: ['jane@example.com'], subject: 'A', text: 'B' })).status).toBe(
      403,
    );

    const page = await openAs(t, tenant, '/deliverability');
    const notice = page.getByRole('region', { name: 'Sending is paused' });
    await notice.getByText('emails bounced for 5 of 100 recipients (5%); the limit is 5%').waitFor();
    const week = page.getByRole('region', { name: 'Last 7 days' });
    await week.getByText('Pause limit reached').waitFor();
    await week.getByText('5 of 100 recipients · limit 5%').waitFor();
    await week.getByText('1 more for other reasons').waitFor();
    await week.getByText('0 of 100 recipients · limit 0.3%').waitFor();
    await page.getByRole('row', { name: /\(platform sender\).* 100 5% \(5\) 0% \(0\)/ }).waitFor();
    const reasons = page.getByRole('table', { name: 'Why emails bounced' });
    await reasons.getByRole('row', { name: /^No such mailbox .* 5$/ }).waitFor();
    await reasons.getByRole('row', { name: /^Content refused .* 1$/ }).waitFor();
    await expectAccessible(page);

    await page.getByLabel('Reason').selectOption('Content refused');
    await page.waitForURL(/reason=content/);
    const bounces = page.getByRole('table', { name: 'Bounced recipients' });
    await bounces.getByText('gone-1@example.com').waitFor({ state: 'detached' });
    await bounces.getByText('5.6.0 Message looks like spam').waitFor();
    await bounces.getByRole('link', { name: 'spam@example.com' }).click();
    await page.getByRole('heading', { level: 1, name: 'News' }).waitFor();
    await notice.waitFor();
  });

  test('an owner resumes sending with a reason', async () => {
    const { tenant } = await newSender();
    await t.ctx
      .db('workspaces')
      .where({ id: tenant.workspaceId })
      .update({ paused_at: new Date(), pause_reason: 'Too many emails bounced.', paused_by: 'system' });
    const page = await openAs(t, tenant, '/deliverability');
    const notice = page.getByRole('region', { name: 'Sending is paused' });
    await notice.getByRole('button', { name: 'Resume sending' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume sending' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Resume sending' }).click();
    await dialog.getByText('must not be empty').waitFor();
    await dialog.getByLabel('What have you done about the cause?').fill('We removed the old list.');
    await dialog.getByRole('button', { name: 'Resume sending' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.getByText('Sending is resumed.').waitFor();
  });

  test('the notice goes away after the operator has resumed the workspace', async () => {
    const { tenant } = await newSender();
    await pauseWorkspace(t.ctx, tenant.workspaceId, 'We received complaints about phishing.');
    const page = await openAs(t, tenant, '/');
    const notice = page.getByRole('region', { name: 'Sending is paused' });
    await notice.getByText('We received complaints about phishing.').waitFor();
    await expectAccessible(page);
    await resumeWorkspace(t.ctx, tenant.workspaceId);
    await showPage(page, '/');
    await notice.waitFor({ state: 'detached' });
  });

  test('fits on a phone', async () => {
    const { tenant, caller } = await newSender();
    await sendUntilPaused(caller);
    const page = await openAs(t, tenant, '/deliverability', { viewport: { width: 360, height: 740 } });
    await page.getByRole('table', { name: 'Bounced recipients' }).getByText('spam@example.com').waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });
});
