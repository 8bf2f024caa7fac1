import { callApi, sendEmail, withKey, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs, readDownload } from './show-page.js';

describeInBrowser('the privacy settings', (t) => {
  const email = { to: ['zelda@example.com'], subject: 'Hello', text: 'Hi' };

  test('an owner erases a recipient after a confirmation, and sees the erasure', async () => {
    const tenant = await t.newTenant();
    await sendEmail(withKey(t.url, tenant.key), email);
    const page = await openAs(t, tenant, '/settings?tab=privacy');
    await page.getByText('No recipient has been erased yet.').waitFor();
    await expectAccessible(page);
    const address = page.getByRole('textbox', { name: 'Address to erase' });
    await address.fill('zelda@example.com');
    await page.getByRole('button', { name: 'Erase recipient' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase zelda@example.com?' });
    await dialog.getByText('This cannot be undone.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No recipient has been erased yet.').waitFor();
    await page.getByRole('button', { name: 'Erase recipient' }).click();
    await dialog.getByRole('button', { name: 'Erase recipient' }).click();
    await page.getByRole('table', { name: 'Erasures' }).getByText('Pending').waitFor();
    expect(await address.inputValue()).toBe('');
    await expectAccessible(page);
  });

  test('an invalid address is explained at its field', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/settings?tab=privacy');
    await page.getByRole('textbox', { name: 'Address to erase' }).fill('zelda');
    await page.getByRole('button', { name: 'Erase recipient' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase recipient' }).click();
    await page.getByText('must be an address without a name').waitFor();
  });

  test('an owner downloads the export', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/settings?tab=privacy');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download export' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${tenant.slug}.ndjson`);
    const lines = (await readDownload(download)).trimEnd().split('\n');
    const { workspace } = await callApi<{ workspace: { id: string } }>(
      await withSession(t.url, tenant),
      'GET',
      '/auth/session',
    );
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ object: 'workspace', id: workspace.id });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ object: 'export_end', lines: lines.length - 1 });
  });
});
