import type { AcceptedEmail } from '@posthorn/contract';
import { callApi, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './log-in.js';

describeInBrowser('the command palette', (t) => {
  test('leads to pages, emails and searches with the keyboard alone', async () => {
    const tenant = await t.newTenant();
    const { id } = await callApi<AcceptedEmail>(withKey(t.url, tenant.key), 'POST', '/api/v1/emails', {
      ...{ to: ['jane@example.com'], subject: 'Your order', text: 'Hi' },
    });
    const page = await openAs(t, tenant, '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const input = page.getByRole('textbox', { name: 'Go to a page or an email' });
    const openPalette = async () => {
      await input.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await input.waitFor();
    };
    await openPalette();
    await expectAccessible(page);
    await page.keyboard.type('templ');
    await page.getByRole('option', { name: 'Templates' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/templates$/);
    await openPalette();
    await page.keyboard.type(`<${id}@mail.example.com>`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your order' }).waitFor();
    await openPalette();
    await page.keyboard.type('your order');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=your/);
    await page.getByRole('link', { name: 'Your order' }).waitFor();
    const button = page.getByRole('button', { name: 'Go to a page or an email' });
    await button.first().click();
    await input.waitFor();
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
    await page.locator('[aria-keyshortcuts]:focus').waitFor();
  });
});
