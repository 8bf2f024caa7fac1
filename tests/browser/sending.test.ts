import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AcceptedEmail, SendEmailRequest, Usage } from '@posthorn/contract';
import { until } from '@posthorn/testing';
import type { Locator, Page } from 'playwright-core';
import { callApi, post, sendEmail, withKey, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { untilStatus } from './fill-workspace.js';
import { mailedLink } from './mailed-link.js';
import { openAs, showPage } from './show-page.js';

const DAY_MS = 86_400_000;

const content = { subject: 'Your order 1001', text: 'It is on its way.', html: '<p>It is <b>on its way</b>.</p>' };

/** @returns the full key, which only this dialog shows */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create an API key' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return (await dialog.getByText(/^ph_\w+$/).textContent()) ?? '';
}

async function closeWithoutCopy(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Create an API key' });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.getByRole('button', { name: 'Close without copying' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

describeInBrowser('the dashboard', (t) => {
  test('leads a new user from sign-up to an API key, a confirmed address and the first email', async () => {
    const page = await t.newPage();
    await showPage(page, '/signup');
    await page.getByLabel('Email').fill('new@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Workspace').fill('The corner shop');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'The corner shop' }).waitFor();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('Create an API key (to do)').waitFor();
    await steps.getByRole('link', { name: 'Create a key' }).click();
    const key = await createKey(page, 'Shop');
    await closeWithoutCopy(page);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await steps.getByText('Create an API key (done)').waitFor();
    await page.getByRole('link', { name: 'Emails', exact: true }).click();
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor();
    const notice = page.getByRole('region', { name: 'Confirm your email address' });
    await notice.getByText('We emailed a link to new@example.com').waitFor();
    const send = async () =>
      (await post(withKey(t.url, key), '/api/v1/emails', { to: ['jane@example.com'], ...content })).status;
    expect(await send()).toBe(403);
    const emails = page.url();
    await page.goto(await mailedLink(t.sink, 'new@example.com'));
    await page.getByRole('button', { name: 'Confirm email address' }).click();
    await page.getByRole('status').getByText('Your email address is confirmed').waitFor();
    await page.goto(emails);
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor();
    expect(await notice.count()).toBe(0);
    await until('the key may send', async () => (await send()) === 202);
    await page.getByRole('link', { name: content.subject }).click();
    await page.getByRole('status').getByText('Sent', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Attempt 1: / }).click();
    await page.getByText(/^C: MAIL FROM:<b\+[\s\S]*^C: RCPT TO:<jane@example\.com>[\s\S]*^S: 250 /m).waitFor();
    const mail = await until('the email arrives', async () =>
      t.sink.messages.find(
        ({ envelope, parsed }) => envelope.to.includes('jane@example.com') && parsed.subject === content.subject,
      ),
    );
    expect(mail.parsed.subject).toBe(content.subject);
  });

  test('announces new emails above the list and shows them on request', async () => {
    const tenant = await t.newTenant();
    const send = (subject: string) =>
      callApi<AcceptedEmail>(withKey(t.url, tenant.key), 'POST', '/api/v1/emails', {
        ...content,
        to: ['joe@example.com'],
        subject,
      });
    await send('The first');
    const page = await openAs(t, tenant, '/emails');
    await page.getByRole('link', { name: 'The first' }).waitFor();
    await send('The second');
    await page.getByRole('button', { name: 'Show 1 new email' }).click();
    await page.getByRole('link', { name: 'The second' }).waitFor();
    await page.getByRole('link', { name: 'The first' }).waitFor();
  });

  test('shows the SMTP reply to an email that bounced', async () => {
    const tenant = await t.newTenant();
    t.replies.set('gone@example.com', { code: 550, text: '5.1.1 No such mailbox' });
    const id = await sendEmail(withKey(t.url, tenant.key), {
      ...content,
      to: ['gone@example.com'],
    });
    const page = await openAs(t, tenant, `/emails/${id}`);
    await page.getByRole('row', { name: /gone@example\.com.*550 5\.1\.1 No such mailbox.*Bounced/ }).waitFor();

    await showPage(page, '/');
    await page.getByText('Too high.').waitFor();
    await page.getByRole('link', { name: 'Bounce rate: 100%. Show these emails' }).click();
    await page.waitForURL(/\/emails\?created_after=\d{4}-\d\d-\d\dT[^&]*Z&status=bounced$/);
    await page.getByRole('link', { name: content.subject }).waitFor();
  });

  test('tells the user that a cap has been reached and when it resets', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const crowd = (name: string) => Array.from({ length: 50 }, (_, index) => `${name}-${index}@example.com`);
    for (const name of ['first', 'second']) {
      const id = await sendEmail(caller, { ...content, to: crowd(name) });
      await untilStatus(caller, id, 'sent');
    }
    expect((await post(caller, '/api/v1/emails', { ...content, to: ['one@example.com'] })).status).toBe(429);
    const { daily } = await callApi<Usage>(await withSession(t.url, tenant), 'GET', '/billing/usage');
    const page = await openAs(t, tenant, '/');
    const notice = page.getByRole('alert').filter({ hasText: 'You have reached the daily cap' });
    await notice.getByText('100 of 100 sends used.').waitFor();
    expect(await notice.locator('time').getAttribute('datetime')).toBe(daily.resets_at);
    await notice.getByRole('link', { name: 'See usage & plan' }).click();
    await page.getByText(/^None left/).waitFor();
    await page.locator(`time[datetime='${daily.resets_at}']`).first().waitFor();
    for (const used of await page.getByRole('link', { name: '100', exact: true }).all()) {
      const { searchParams } = new URL(String(await used.getAttribute('href')), t.url);
      expect(searchParams.get('created_after')).toMatch(/^\d{4}-\d\d-\d\dZ$/);
    }
    await page.getByRole('link', { name: '100', exact: true }).first().click();
    await page.getByRole('link', { name: content.subject }).first().waitFor();
    await showPage(page, '/templates/new');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hello');
    await page.getByRole('textbox', { name: 'HTML' }).fill('<p>Hello</p>');
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello');
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(/100/).waitFor();
  });

  describe('lets a scheduled email', () => {
    async function schedule(email: Partial<SendEmailRequest> = {}) {
      const tenant = await t.newTenant();
      const scheduled = {
        ...content,
        to: ['later@example.com'],
        scheduled_at: new Date(Date.now() + DAY_MS).toISOString(),
        ...email,
      };
      const caller = withKey(t.url, tenant.key);
      const id = await sendEmail(caller, scheduled);
      return { caller, id, page: await openAs(t, tenant, `/emails/${id}`) };
    }

    test('be rescheduled', async () => {
      const { page, caller, id } = await schedule();
      await page.getByRole('button', { name: 'Reschedule' }).click();
      const dialog = page.getByRole('dialog', { name: 'Reschedule email' });
      const time = dialog.getByLabel('Send at');
      await time.fill('2020-01-01T00:00');
      await dialog.getByRole('button', { name: 'Reschedule' }).click();
      await dialog.getByText(/past|future/).waitFor();
      const wanted = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 16);
      await time.fill(wanted);
      await dialog.getByRole('button', { name: 'Reschedule' }).click();
      await page.getByText('Email rescheduled.').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: /Scheduled for/ })
        .waitFor();
      expect((await untilStatus(caller, id, 'scheduled')).scheduled_at).toBe(`${wanted}:00.000Z`);
    });

    test('show when it will be sent and was accepted, with the exact times on hover and focus', async () => {
      const { page, caller, id } = await schedule();
      const { created_at, scheduled_at } = await untilStatus(caller, id, 'scheduled');
      const timeIn = (place: Locator, value: string | null) => place.locator(`time[datetime='${value}']`);
      const exact = (value: string | null) => `${value?.replace('T', ' ').replace('Z', '')} UTC`;
      const soon = timeIn(page.getByRole('status'), scheduled_at);
      expect(await soon.textContent()).toMatch(/^in 23 hours, /);
      await soon.hover();
      await page.getByRole('tooltip').getByText(exact(scheduled_at), { exact: false }).waitFor();
      await page.mouse.move(0, 0);
      await page.getByRole('tooltip').waitFor({ state: 'detached' });
      const accepted = timeIn(page.getByRole('region', { name: 'Details' }), created_at);
      expect(await accepted.textContent()).toMatch(/^less than a minute ago, /);
      await accepted.focus();
      await page.getByRole('tooltip').getByText(exact(created_at), { exact: false }).waitFor();
      const event = page.getByRole('region', { name: 'Timeline' }).locator('time').last();
      expect(await event.textContent()).toMatch(/\d:\d\d:\d\d [AP]M, less than a minute ago$/);
    });

    test('be canceled after a confirmation', async () => {
      const { page, caller, id } = await schedule();
      const cancel = page.getByRole('button', { name: 'Cancel email' });
      await cancel.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Keep email' }).click();
      await cancel.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel email' }).click();
      await page.getByRole('status').getByText('Canceled', { exact: true }).waitFor();
      await cancel.waitFor({ state: 'hidden' });
      await untilStatus(caller, id, 'canceled');
    });
  });

  test('shows an API key once, and lets the user revoke it', async () => {
    const page = await openAs(t, await t.newTenant(), '/api-keys');
    const key = await createKey(page, 'Newsletter');
    expect(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])'),
    ).not.toContain(key);
    const send = async () =>
      (await post(withKey(t.url, key), '/api/v1/emails', { ...content, to: ['jane@example.com'] })).status;
    expect(await send()).toBe(202);
    await closeWithoutCopy(page);
    expect(await page.content()).not.toContain(key);
    await page.reload();
    await page.getByRole('row', { name: /Newsletter/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke Newsletter' }).click();
    await page.getByRole('dialog', { name: 'Revoke Newsletter?' }).getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('button', { name: 'Revoked keys (1)' }).waitFor();
    await until('the key stops working', async () => (await send()) === 401);
  });

  test('restricts a new key to a domain and a network', async () => {
    const tenant = await t.newTenant();
    await callApi(withKey(t.url, tenant.key), 'POST', '/api/v1/domains', { name: 'shop.example' });
    const page = await openAs(t, tenant, '/api-keys?create=true');
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByLabel('Only send from these domains').click();
    await page.getByRole('option', { name: 'shop.example' }).click();
    await dialog.getByLabel('Only work from these networks').fill('192.0.2.0/33');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('must be an IP address or a network', { exact: false }).waitFor();
    await dialog.getByLabel('Only work from these networks').press('Backspace');
    await dialog.getByLabel('Only work from these networks').fill('192.0.2.7');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = (await dialog.getByText(/^ph_\w+$/).textContent()) ?? '';
    await dialog.getByText('hello@shop.example', { exact: false }).first().waitFor();
    const { status } = await post(withKey(t.url, key), '/api/v1/emails', { ...content, to: ['jane@example.com'] });
    expect(status).toBe(403);
    await closeWithoutCopy(page);
    const row = page.getByRole('row', { name: /Shop/ });
    await row.getByText('Sends only from shop.example').waitFor();
    await row.getByText('Works only from 192.0.2.7/32').waitFor();
    await expectAccessible(page);
  });

  test('shows code that sends an email with a new key, in each language', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/api-keys', { permissions: ['clipboard-write'] });
    const key = await createKey(page, 'Samples');
    const dialog = page.getByRole('dialog');
    const code = dialog.locator('pre, code').filter({ hasText: '/api/v1/emails' });
    const beginnings = {
      curl: 'curl ',
      'Node.js': 'const response',
      Python: 'import requests',
      PHP: '<?php',
      Go: 'package main',
    };
    for (const [language, beginning] of Object.entries(beginnings)) {
      await dialog.getByText(language, { exact: true }).click();
      await code.filter({ hasText: beginning }).first().waitFor();
      expect(await code.first().textContent()).toContain(`Bearer ${key}`);
      await expectAccessible(page);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page);
    await dialog.getByText('Node.js', { exact: true }).click();
    const sample = (await code.first().textContent()) ?? '';
    // The sample is a whole program for Node, so running it sends an email to the user.
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', sample]);
    await until('the email arrives', async () =>
      t.sink.messages.some(({ envelope }) => envelope.to.includes(tenant.email)),
    );
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(key);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await dialog.getByText('Store the key in a safe place.', { exact: false }).waitFor();
  });
});
