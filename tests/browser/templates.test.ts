import type { Template } from '@posthorn/contract';
import { until } from '@posthorn/testing';
import type { Page } from 'playwright-core';
import { callApi, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: false });
const preview = (page: Page) => page.frameLocator('iframe[title="HTML preview"]');

describeInBrowser('templates in the dashboard', (t) => {
  test('can be previewed, tested, saved as versions, compared and restored', async () => {
    const page = await openAs(t, await t.newTenant(), '/templates');
    await page.getByRole('link', { name: 'New template' }).first().click();
    await page.getByLabel('Name').fill('Receipt');
    await page.getByLabel('Subject').fill('Your order {{order}}');
    await field(page, 'HTML').fill('<p>Thank you, {{name}}</p>');
    await field(page, 'Text').fill('Thank you, {{name}}.');
    await page.getByLabel('order', { exact: true }).fill('1001');
    await page.getByLabel('name', { exact: true }).fill('Jane');
    await preview(page).getByText('Thank you, Jane').waitFor();
    await page.getByText('Your order 1001', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Saved as version 1').waitFor();
    await page.waitForURL(/\/templates\/[0-9a-f-]{36}$/);

    await page.getByRole('button', { name: 'Send test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test email' });
    await dialog.getByLabel('To').fill('tester@example.com');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.getByText('Accepted').waitFor();
    await page.keyboard.press('Escape');
    const mail = await until('the test email arrives', async () =>
      t.sink.messages.find(({ envelope }) => envelope.to.includes('tester@example.com')),
    );
    expect([mail.parsed.subject, mail.parsed.html?.trim(), mail.parsed.text?.trim()]).toEqual([
      'Your order 1001',
      '<p>Thank you, Jane</p>',
      'Thank you, Jane.',
    ]);

    await field(page, 'Text').fill('Many thanks, {{name}}.');
    await page.getByRole('status').getByText('Unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('Saved as version 2').waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    const changes = page.getByRole('region', { name: 'Changes to Text' });
    await changes.getByText('Thank you, {{name}}.').waitFor();
    await changes.getByText('Many thanks, {{name}}.').waitFor();
    await page
      .getByRole('navigation', { name: 'Versions' })
      .getByRole('link', { name: /^Version 1/ })
      .click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 1 was restored as version 3.').waitFor();
    await page.getByRole('link', { name: /^Version 3, current/ }).waitFor();
    await page.getByRole('link', { name: 'Edit template' }).click();
    await field(page, 'Text').getByText('Thank you, {{name}}.').waitFor();
  });

  test('are found by name, duplicated, and have defaults and samples', async () => {
    const tenant = await t.newTenant();
    const create = (name: string) =>
      callApi<Template>(withKey(t.url, tenant.key), 'POST', '/api/v1/templates', {
        ...{ name, subject: 'Hi {{name}}', html_body: '<p>{{name}} {{code}}</p>', text_body: '{{name}}' },
      });
    await create('Receipt');
    await create('Welcome');
    const page = await openAs(t, tenant, '/templates');
    await page.getByRole('link', { name: 'Welcome' }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill('rece');
    await page.getByLabel('Search', { exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Welcome' }).waitFor({ state: 'detached' });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Duplicate Receipt' }).click();
    await page.getByRole('heading', { name: 'Receipt (copy)' }).waitFor();

    await page.getByRole('button', { name: 'Defaults' }).click();
    const dialog = page.getByRole('dialog', { name: 'Defaults and samples' });
    const name = dialog.getByRole('group', { name: 'name' });
    await name.getByLabel('May be left out').check();
    await name.getByLabel('Default').fill('there');
    await dialog.getByRole('group', { name: 'code' }).getByLabel('Sample').fill('4711');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Saved as version 2').waitFor();
    await preview(page).getByText('4711').waitFor();
    const id = page.url().split('/').at(-1);
    const saved = await callApi<Template>(withKey(t.url, tenant.key), 'GET', `/api/v1/templates/${id}`);
    expect(saved.variables).toEqual([
      { name: 'name', default: 'there', sample: null },
      { name: 'code', default: null, sample: '4711' },
    ]);
    await page.goto(`${t.url}/templates?name=nothing`);
    await page.getByRole('heading', { name: 'No matching templates' }).waitFor();
  });

  test('ask for confirmation before the user discards unsaved changes', async () => {
    const tenant = await t.newTenant();
    const texts = { subject: 'Hello', html_body: '<p>Hello</p>', text_body: 'Hello' };
    const { id } = await callApi<Template>(withKey(t.url, tenant.key), 'POST', '/api/v1/templates', {
      name: 'Greeting',
      ...texts,
    });
    const page = await openAs(t, tenant, `/templates/${id}`);
    await page.getByLabel('Subject').fill('Good evening');
    await page.getByRole('link', { name: 'Emails', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Subject').inputValue()).toBe('Good evening');
    await page.getByRole('link', { name: 'Emails', exact: true }).click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor();
  });

  test('make the browser ask before it closes a page with unsaved changes', async () => {
    const page = await openAs(t, await t.newTenant(), '/templates/new');
    await page.getByLabel('Subject').fill('Good evening');
    await field(page, 'HTML').fill('<p>Good evening</p>');
    // Chromium closes open dialogs when a frame is loaded, and the preview is one.
    await preview(page).getByText('Good evening').waitFor();
    const opened = page.waitForEvent('dialog');
    await page.evaluate('void setTimeout(() => location.reload())');
    const dialog = await opened;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Good evening');
  });

  test('show errors in the text while the user types', async () => {
    const page = await openAs(t, await t.newTenant(), '/templates/new');
    await field(page, 'Text').fill('Dear {{#name}}');
    await page
      .getByText(/sections are not supported/)
      .first()
      .waitFor();
    expect(await field(page, 'Text').getAttribute('aria-invalid')).toBe('true');
  });
});
