import type { AuditEntry, CreateSuppressionRequest, List, Suppression } from '@posthorn/contract';
import type { Locator, Page } from 'playwright-core';
import { type Caller, callApi, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

const PAGE_SIZE = 50;

describeInBrowser('the suppressions page', (t) => {
  const suppress = (caller: Caller, body: CreateSuppressionRequest) =>
    callApi<Suppression>(caller, 'POST', '/api/v1/suppressions', body);

  async function importCsv({ url, headers }: Caller, csv: string): Promise<void> {
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'text/csv' }, body: csv };
    const response = await fetch(`${url}/api/v1/suppressions/import`, init);
    if (!response.ok) throw new Error(await response.text());
  }

  const findRow = (page: Page, name: string | RegExp) =>
    page.getByRole('table', { name: 'Suppressions' }).getByRole('row', { name });

  const chooseFile = async (page: Page, dialog: Locator, csv: string) => {
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: /^CSV file/ }).click();
    const file = { name: 'list.csv', mimeType: 'application/vnd.ms-excel', buffer: Buffer.from(csv) };
    await (await chooser).setFiles(file);
  };

  test('adds an address, with the errors next to the fields, and warns in the check of an email', async () => {
    const page = await openAs(t, await t.newTenant(), '/');
    await page.getByRole('link', { name: 'Suppressions', exact: true }).click();
    await page.getByRole('heading', { name: 'No suppressed addresses yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Suppress address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suppress an address' });
    const submit = dialog.getByRole('button', { name: 'Suppress address' });
    await dialog.getByLabel('Address').fill('jane');
    await dialog.getByLabel('Topic').fill('News');
    await submit.click();
    await dialog.getByText(/must be an address without a name/).waitFor();
    await dialog.getByText(/must be 1 to 64 of the characters/).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Address').fill('Jane@Example.com');
    await dialog.getByLabel('Topic').fill('');
    await submit.click();
    await dialog.waitFor({ state: 'detached' });
    await findRow(page, /^jane@example\.com Manual/).waitFor();

    await page.goto('/emails/new');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('jane@example.com');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hi');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hi');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('This email would not be sent').waitFor();
    await page.getByText('jane@example.com (manual)').waitFor();
  });

  test('removes an address after a confirmation, and a complaint only with a reason', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    await importCsv(owner, 'address,reason\njane@example.com,complaint\njoe@example.com,manual\n');
    const page = await openAs(t, tenant, '/suppressions');
    await page.getByRole('button', { name: 'Remove joe@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove joe@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove suppression' }).click();
    await page.getByText('The suppression of joe@example.com was removed.').waitFor();
    await findRow(page, /^joe/).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Remove jane@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove jane@example.com?' });
    await dialog.getByRole('button', { name: 'Remove suppression' }).click();
    await dialog.getByText(/^is required to remove a complaint/).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Why do they want mail again?').fill('They signed up again & asked for it');
    await dialog.getByRole('button', { name: 'Remove suppression' }).click();
    await page.getByRole('heading', { name: 'No suppressed addresses yet' }).waitFor();
    const log = await callApi<List<AuditEntry>>(owner, 'GET', '/api/v1/audit-log?action=suppression.removed');
    expect(log.data[0]?.changes).toMatchObject({ because: { to: 'They signed up again & asked for it' } });
  });

  test('imports a CSV file, and names the faulty lines before it does', async () => {
    const page = await openAs(t, await t.newTenant(), '/suppressions');
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import suppressions' });
    const submit = dialog.getByRole('button', { name: 'Import', exact: true });
    await chooseFile(page, dialog, 'address,reason\njane,manual\njoe@example.com,blocked\n');
    await submit.click();
    await dialog.getByText('line 2:').waitFor();
    await dialog.getByText(/has an unknown reason/).waitFor();
    await expectAccessible(page);
    await chooseFile(page, dialog, 'address,reason\njane@example.com,hard_bounce\njane@example.com,hard_bounce\n');
    await dialog.getByText('line 2:').waitFor({ state: 'detached' });
    await submit.click();
    await dialog.getByText('1 suppression was added. 1 of the 2 rows were in your list already.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await findRow(page, /^jane@example\.com Imported Hard bounce/).waitFor();
  });

  test('filters by address, reason and topic, and exports what it shows', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    await suppress(owner, { address: 'jane@example.com' });
    await suppress(owner, { address: 'joe@example.com', topic: 'news' });
    const page = await openAs(t, tenant, '/suppressions');
    await page.getByLabel('Topic').fill('news');
    await page.keyboard.press('Enter');
    await page.waitForURL(/topic=news/);
    await findRow(page, /^jane/).waitFor({ state: 'detached' });
    await findRow(page, /^joe@example\.com Only the topic news/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toBe('suppressions.csv');
    const [text = ''] = await (await (await download).createReadStream()).toArray();
    expect(String(text)).toMatch(/^address,reason,topic,created_at\r\njoe@example\.com,manual,news,[^\r]+\r\n$/);
    await page.getByLabel('Reason').selectOption('Complaint');
    await page.getByRole('heading', { name: 'No matching suppressions' }).waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByLabel('Address').fill('jane');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a whole address.').waitFor();
    await page.getByLabel('Address').fill('jane@example.com');
    await page.keyboard.press('Enter');
    await findRow(page, /^joe/).waitFor({ state: 'detached' });
    await findRow(page, /^jane/).waitFor();
  });

  test('leads through older and newer pages, and fits on a phone', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const long = `${'x'.repeat(60)}@${'y'.repeat(60)}.example`;
    await importCsv(owner, `address,topic\n${long},${'z'.repeat(64)}\n`);
    await importCsv(
      owner,
      `address\n${Array.from({ length: PAGE_SIZE }, (_, n) => `jane${n}@example.com`).join('\n')}`,
    );
    const page = await openAs(t, tenant, '/suppressions', { viewport: { width: 360, height: 740 } });
    await page.getByRole('link', { name: 'Older' }).click();
    await findRow(page, new RegExp(`^${long}`)).waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Remove x/ }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Newer' }).click();
    await findRow(page, /^jane0@/).waitFor();
  });

  test('is linked from the recipient who did not get an email', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    await suppress(owner, { address: 'jane@example.com' });
    await suppress(owner, { address: 'joe@example.com' });
    const email = { to: ['jane@example.com'], subject: 'Hi', text: 'Hi' };
    const { id } = await callApi<{ id: string }>(owner, 'POST', '/api/v1/emails', email);
    const page = await openAs(t, tenant, `/emails/${id}`);
    await page.getByRole('link', { name: 'Show suppression' }).click();
    await findRow(page, /^jane@example\.com Manual/).waitFor();
    await findRow(page, /^joe/).waitFor({ state: 'detached' });
  });
});
