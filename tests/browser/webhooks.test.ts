import type { ServerResponse } from 'node:http';
import type { CreatedApiKey, CreateWebhookRequest, Webhook, WebhookWithSecret } from '@posthorn/contract';
import { until } from '@posthorn/testing';
import { createSigner } from '@posthorn/webhooks';
import type { Page } from 'playwright-core';
import {
  openReceiverServer,
  type ReceivedRequest,
  type ReceiverServer,
} from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { type Caller, callApi, withKey, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { addMember } from './fill-workspace.js';
import { openAs, showPage } from './show-page.js';

const PAGE_SIZE = 20;

describeInBrowser('webhooks in the dashboard', (t) => {
  const servers: ReceiverServer[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  async function openReceiver(respond?: (request: ReceivedRequest, response: ServerResponse) => void) {
    const server = await openReceiverServer(respond);
    servers.push(server);
    return server;
  }

  const create = (caller: Caller, webhook: CreateWebhookRequest) =>
    callApi<WebhookWithSecret>(caller, 'POST', '/api/v1/webhooks', webhook);

  const send = (tenant: { readonly key: string }, to = 'jane@example.com') =>
    callApi(withKey(t.url, tenant.key), 'POST', '/api/v1/emails', { to: [to], subject: 'Hi', text: 'Hi' });

  const findRow = (page: Page, name: string | RegExp) =>
    page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name });

  test('are created in a dialog that shows the errors of fields, and then the secret once', async () => {
    const receiver = await openReceiver();
    const page = await openAs(t, await t.newTenant(), '/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a webhook' });
    const submit = dialog.getByRole('button', { name: 'Create webhook' });
    await dialog.getByLabel('URL').fill('http://10.0.0.1/hook');
    await submit.click();
    await dialog.getByText('must have at least 1 item').waitFor();
    await dialog.locator('button:focus', { hasText: 'Select all' }).waitFor();
    await dialog.getByRole('button', { name: 'Select domain events' }).click();
    await dialog.getByText('3 of 20 selected').waitFor();
    await dialog.getByRole('checkbox', { name: 'email.sent' }).check();
    await dialog.getByText('4 of 20 selected').waitFor();
    await dialog.getByLabel('Only events of emails with one of these tags').fill('campaign');
    await submit.click();
    await dialog.getByText(/a tag written as name:value/).waitFor();
    await page.keyboard.press('Backspace');
    await submit.click();
    await dialog.getByText(/https/).nth(1).waitFor();
    await dialog.locator('input:focus').and(dialog.getByLabel('URL')).waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Description').fill('Orders service');
    await expectAccessible(page);
    await submit.click();

    await dialog.getByText('Copy the secret now').waitFor();
    const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
    await dialog.locator('label').filter({ hasText: 'Python' }).click();
    await dialog.getByText(/hmac\.compare_digest/).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Copy the code' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByText('Close without copying?').waitFor();
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await dialog.getByRole('button', { name: 'Copy the secret' }).click();
    await dialog.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await dialog.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByText('Orders service').waitFor();
    await page.getByText('domain.key_rotated').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    const [{ headers, body, id } = fail()] = await receiver.untilReceived(1);
    const timestampSeconds = Number(headers['webhook-timestamp']);
    expect(headers).toMatchObject(createSigner([secret])({ id, timestampSeconds, body }));
  });

  test('show deliveries as they happen, without a reload', async () => {
    const receiver = await openReceiver();
    const tenant = await t.newTenant();
    const { id } = await create(withKey(t.url, tenant.key), { url: receiver.url, events: ['email.sent'] });
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    await page.evaluate('window.isSamePage = true');
    await page.getByText('Nothing has been sent yet.').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await findRow(page, /webhook\.test Delivered 200 in \d+ ms/).waitFor();
    await send(tenant);
    await findRow(page, /email\.sent jane@example\.com Delivered 200/).waitFor();

    await page.getByRole('button', { name: 'Details: email.sent' }).click();
    await page.getByText('webhook-timestamp:').waitFor();
    await page.getByText('"recipient": "jane@example.com"').waitFor();
    await page.getByText('Response: status 200').waitFor();
    await send(tenant, 'joe@example.com');
    await page.getByRole('button', { name: 'Show 1 new delivery' }).click();
    await findRow(page, /email\.sent joe@example\.com/).waitFor();
    await page.getByRole('link', { name: 'Open email' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hi' }).waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  test('show why a delivery fails and when it is tried again, and can replay it', async () => {
    let status = 500;
    const receiver = await openReceiver((_, response) => {
      response.statusCode = status;
      response.end(status === 500 ? '{"error": "database is locked"}' : 'ok');
    });
    const tenant = await t.newTenant();
    const { id } = await create(withKey(t.url, tenant.key), { url: receiver.url, events: ['email.sent'] });
    await send(tenant);
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    // The second request follows after 5 seconds, the third after 5 minutes.
    await findRow(page, /email\.sent .*Retrying 500 in \d+ ms ?Next attempt: in [45] minutes/).waitFor();
    await page.getByRole('button', { name: 'Details: email.sent' }).click();
    await page.getByRole('button', { name: 'Attempt 2: The receiver answered 500' }).waitFor();
    await page
      .getByRole('region', { name: /^Attempt 2/ })
      .getByText('{"error": "database is locked"}')
      .waitFor();
    await expectAccessible(page);

    status = 200;
    await page.getByRole('button', { name: 'Replay this event' }).click();
    await page.getByText('1 event will be sent again.').waitFor();
    await page.getByRole('button', { name: 'Attempt 3: delivered, 200' }).waitFor();
    await findRow(page, /email\.sent .*Delivered 200/).waitFor();
    expect(new Set(receiver.requests.map((request) => request.id)).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  });

  test('can replay all that failed, and a period', async () => {
    let status = 500;
    const receiver = await openReceiver((_, response) => {
      response.statusCode = status;
      response.end();
    });
    const tenant = await t.newTenant();
    const { id } = await create(withKey(t.url, tenant.key), { url: receiver.url, events: ['email.sent'] });
    await send(tenant);
    await send(tenant, 'joe@example.com');
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    await findRow(page, /Retrying/)
      .nth(1)
      .waitFor();
    status = 204;
    await page.getByRole('button', { name: 'Replay all failed' }).click();
    await page.getByText('2 events will be sent again.').waitFor();
    await findRow(page, /Delivered 204/)
      .nth(1)
      .waitFor();
    await page.getByRole('button', { name: 'Replay all failed' }).click();
    await page.getByText('There are no failed or waiting events to replay.').waitFor();

    const before = receiver.requests.length;
    await page.getByRole('button', { name: 'Replay a period' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay a period' });
    const to = await dialog.getByLabel('To').inputValue();
    await dialog.getByLabel('To').fill('2026-01-01T00:00');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByText('must be after from').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('To').fill(to);
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The notification about the first replay may still be open.
    await page.getByText('2 events will be sent again.').first().waitFor();
    await receiver.untilReceived(before + 2);
  });

  test('filter their deliveries by status, and lead through older and newer pages', async () => {
    const receiver = await openReceiver();
    const tenant = await t.newTenant();
    const key = withKey(t.url, tenant.key);
    const { id } = await create(key, { url: receiver.url, events: ['email.accepted'] });
    const emails = Array.from({ length: PAGE_SIZE + 1 }, () => ({
      to: ['jane@example.com'],
      subject: 'Hi',
      text: 'Hi',
    }));
    await callApi(key, 'POST', '/api/v1/emails/batch', emails);
    await receiver.untilReceived(PAGE_SIZE + 1);
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    const rows = findRow(page, /email\.accepted/);
    await rows.nth(PAGE_SIZE - 1).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    await page.getByRole('link', { name: 'Newer' }).click();
    await rows.nth(PAGE_SIZE - 1).waitFor();
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('No delivery has this status.').waitFor();
    await page.getByLabel('Status').selectOption('Delivered');
    await rows.nth(PAGE_SIZE - 1).waitFor();
  });

  test('rotate their secret, and sign with both during the overlap', async () => {
    const receiver = await openReceiver();
    const tenant = await t.newTenant();
    const old = await create(withKey(t.url, tenant.key), { url: receiver.url, events: ['email.sent'] });
    const page = await openAs(t, tenant, `/webhooks/${old.id}`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate the signing secret' });
    await dialog.getByLabel('Keep signing with the old secret').selectOption('For 1 hour');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Close without copying' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Requests are also signed with older secrets').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    const [{ headers, body, id } = fail()] = await receiver.untilReceived(1);
    const timestampSeconds = Number(headers['webhook-timestamp']);
    expect(headers).toMatchObject(createSigner([secret, old.secret])({ id, timestampSeconds, body }));
  });

  test('can be changed, disabled, enabled and deleted', async () => {
    const receiver = await openReceiver();
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const { id } = await create(owner, { url: receiver.url, events: ['email.sent'], tags: ['kind:receipt'] });
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit webhook' });
    await dialog.getByLabel('Description').fill('Billing');
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await dialog.getByLabel('Only events of emails with one of these tags').press('Backspace');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('All events', { exact: true }).waitFor();
    const changed = await callApi<Webhook>(owner, 'GET', `/api/v1/webhooks/${id}`);
    expect([changed.description, changed.events.length, changed.tags]).toEqual(['Billing', 20, null]);

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('It gets no events until you enable it.').waitFor();
    expect(await page.getByRole('button', { name: /test event|Replay/ }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Send test event' }).waitFor();

    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('dialog', { name: 'Delete this webhook?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this webhook?' })
      .getByRole('button', { name: 'Delete webhook' })
      .click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.goto(`/webhooks/${id}`);
    await page.getByRole('alert').waitFor();
  });

  test('say that they were disabled because the receiver is gone, and what to do', async () => {
    const receiver = await openReceiver((_, response) => {
      response.statusCode = 410;
      response.end();
    });
    const tenant = await t.newTenant();
    const { id } = await create(withKey(t.url, tenant.key), { url: receiver.url, events: ['email.sent'] });
    const page = await openAs(t, tenant, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText(/Your server returned 410 Gone.*then enable the webhook/).waitFor();
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('row', { name: /Disabled: gone/ }).waitFor();
    await expectAccessible(page);
    await until('the owner gets mail with a link to the webhook', async () =>
      t.sink.messages.some(
        ({ envelope, parsed }) =>
          envelope.to.includes(tenant.email) && parsed.text?.includes(`${t.url}/webhooks/${id}`),
      ),
    );
  });

  test('for test mail are listed apart', async () => {
    const receiver = await openReceiver();
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const page = await openAs(t, tenant, '/webhooks?mode=test&create=true');
    const dialog = page.getByRole('dialog', { name: 'Create a webhook' });
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByText('This workspace has no test mail yet.').waitFor();
    const settings = { name: 'CI', scopes: ['emails:send'], mode: 'test' };
    const { key } = await callApi<CreatedApiKey>(owner, 'POST', '/api/v1/api-keys', settings);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByText('Test mail', { exact: true }).waitFor();
    await send({ key });
    await findRow(page, /email\.sent jane@example\.com Delivered/).waitFor();
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('link', { name: receiver.url }).waitFor();
    await page.getByText('Live mail').click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  });

  test('can be managed by members who are not owners', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const member = await addMember(owner, t.sink);
    const receiver = await openReceiver();
    const { id } = await create(owner, { url: receiver.url, events: ['email.sent'] });
    const page = await openAs(t, member, '/webhooks');
    await page.getByRole('button', { name: 'Create webhook' }).waitFor();
    await showPage(page, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await findRow(page, /webhook\.test Delivered/).waitFor();
  });

  test('fit on a phone, with a delivery open', async () => {
    const receiver = await openReceiver((_, response) => {
      response.statusCode = 500;
      response.end('y'.repeat(4_000));
    });
    const tenant = await t.newTenant();
    const { id } = await create(withKey(t.url, tenant.key), {
      url: `${receiver.url}/${'x'.repeat(200)}`,
      events: ['email.sent'],
    });
    await send(tenant, `${'x'.repeat(60)}@example.com`);
    const page = await openAs(t, tenant, `/webhooks/${id}`, { viewport: { width: 360, height: 740 } });
    await until('the request fails', async () => receiver.requests.length > 0);
    await page.getByRole('button', { name: 'Details: email.sent' }).click();
    await page
      .getByRole('region', { name: /^Attempt/ })
      .getByText(/^y{4000}$/)
      .waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });
});

function fail(): never {
  throw new Error('Nothing was received.');
}
