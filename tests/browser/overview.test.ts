import type { EmailStats, EmailSummary, List } from '@posthorn/contract';
import { callApi, sendEmail, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { untilStatus } from './fill-workspace.js';
import { openAs, showPage } from './show-page.js';

const DAY_MS = 86_400_000;
const SIMULATOR = 'simulator.posthorn.localhost';

describeInBrowser('the overview', (t) => {
  async function newSender() {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const send = async (to: string, status: string) => {
      const email = { to: [to], subject: `For ${to}`, text: 'It is on its way.' };
      const id = await sendEmail(caller, email);
      await untilStatus(caller, id, status);
      return id;
    };
    return { tenant, caller, send };
  }

  test('links each number to exactly the emails that it counts', async () => {
    const { tenant, caller, send } = await newSender();
    t.replies.set('gone@example.com', { code: 550, text: '5.1.1 No such mailbox' });
    const old = await send('last-quarter@example.com', 'sent');
    await t.ctx
      .db('emails')
      .where({ id: old })
      .update({ created_at: new Date(Date.now() - 40 * DAY_MS) });
    await send('jane@example.com', 'sent');
    await send('gone@example.com', 'bounced');
    const page = await openAs(t, tenant, '/');
    const delivery = page.getByRole('region', { name: 'Delivery' });
    const open = async (name: RegExp) => {
      await showPage(page, '/');
      const link = delivery.getByRole('link', { name });
      const { searchParams } = new URL(String(await link.getAttribute('href')), t.url);
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor();
      const list = await callApi<List<EmailSummary>>(caller, 'GET', `/api/v1/emails?${searchParams}`);
      return list.data.map(({ to }) => to[0]);
    };
    const { since } = await callApi<EmailStats>(caller, 'GET', '/api/v1/emails/stats');
    expect(Date.parse(since)).toBeGreaterThan(Date.now() - 32 * DAY_MS);
    expect(await open(/^Emails: /)).toEqual(['gone@example.com', 'jane@example.com']);
    await page.getByRole('link', { name: 'For jane@example.com' }).waitFor();
    expect(await page.getByRole('link', { name: 'For last-quarter@example.com' }).count()).toBe(0);
    expect(await open(/^Handed over: /)).toEqual(['jane@example.com']);
    expect(await open(/^Bounce rate: /)).toEqual(['gone@example.com']);

    await send(`delivered@${SIMULATOR}`, 'delivered');
    await showPage(page, '/');
    await delivery.getByRole('link', { name: '1 delivered' }).waitFor();
    expect(await delivery.getByRole('link', { name: /^Handed over: / }).count()).toBe(0);
    // The statistics go by the time in the id, so they also count the email that was moved to the past.
    expect(await open(/^\d sent$/)).toEqual(['jane@example.com']);
    expect(await open(/^1 delivered$/)).toEqual([`delivered@${SIMULATOR}`]);
    await page.getByRole('button', { name: 'More filters (1)' }).waitFor();
    expect(await page.getByLabel('Accepted from').inputValue()).toBe(since.slice(0, 10));
    await expectAccessible(page);
  });

  test('checks off the first steps for an email that ends as delivered, and then stops polling', async () => {
    const { tenant, send } = await newSender();
    const page = await openAs(t, tenant, '/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('See it arrive (to do)').waitFor();
    await send(`delivered@${SIMULATOR}`, 'delivered');
    await steps.getByText('Email sent: check your inbox (done)').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('status=') && asked.push(request.url())));
    await page.waitForTimeout(7_000);
    expect(asked).toEqual([]);
  });

  test('leads from a bar of the chart to the emails of that UTC day', async () => {
    const { tenant, send } = await newSender();
    await send('jane@example.com', 'sent');
    const page = await openAs(t, tenant, '/');
    const today = new Date().toISOString().slice(0, 10);
    await page.getByText('Today (UTC)').waitFor();
    const bar = page.getByRole('region', { name: 'Sends per day' }).getByRole('link', { name: /: 1 send\. Show/ });
    await bar.waitFor();
    await bar.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('created_after') === `${today}Z`);
    await page.getByRole('link', { name: 'For jane@example.com' }).waitFor();
  });
});
