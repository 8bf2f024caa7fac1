import { sendEmail, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

describeInBrowser('command palette', (t) => {
  test.each(['light', 'dark'] as const)(
    'opens pages and actions by keyboard alone, in %s mode',
    async (colorScheme) => {
      const page = await openAs(t, await t.newTenant(), '/', { colorScheme });
      const field = page.getByRole('combobox', { name: 'Page, action or email' });
      // The field takes the focus a moment after it is shown. Until then, keys go elsewhere.
      const untilOpen = () => field.and(page.locator('*:focus')).waitFor();
      await page.getByRole('button', { name: 'Search and commands' }).focus();
      await page.keyboard.press('Control+k');
      await untilOpen();
      await page.getByRole('option', { name: 'Overview', selected: true }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
      await page.locator('button[aria-label="Search and commands"]:focus').waitFor();

      await page.keyboard.press('Enter');
      await untilOpen();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('option', { name: 'Emails', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor();

      await page.keyboard.press('Meta+k');
      await untilOpen();
      await page.keyboard.type('api key cr');
      await page.getByRole('option', { name: 'Create an API key', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Create' }).waitFor();
      await expectAccessible(page);
    },
  );

  test('opens an email by its Message-ID and searches for any other text', async () => {
    const tenant = await t.newTenant();
    const id = await sendEmail(withKey(t.url, tenant.key), {
      ...{ to: ['jane@example.com'], subject: 'Your invoice', text: 'Hi' },
    });
    const page = await openAs(t, tenant, '/', { viewport: { width: 360, height: 740 } });
    const run = async (text: string) => {
      await page.getByRole('button', { name: 'Search and commands' }).click();
      await page.getByRole('combobox', { name: 'Page, action or email' }).fill(text);
      await page.getByRole('option').first().click();
    };
    await run(`<${id.toUpperCase()}@mail.example.com>`);
    await page.waitForURL(`**/emails/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Your invoice' }).waitFor();
    await run('invoice & more');
    await page.waitForURL(/\/emails\?q=invoice/);
    expect(new URL(page.url()).searchParams.get('q')).toBe('invoice & more');
  });
});
