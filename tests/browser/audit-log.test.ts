import type { Template } from '@posthorn/contract';
import { type Caller, callApi, withKey, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { addMember } from './fill-workspace.js';
import { openAs } from './show-page.js';

const PAGE_SIZE = 50;

const texts = { subject: 'Your receipt', html_body: '<p>Thank you</p>', text_body: 'Thank you' };

describeInBrowser('the audit log page', (t) => {
  const rename = (owner: Caller, name: string) => callApi(owner, 'PATCH', '/api/v1/workspace', { name });

  test('shows who changed what, with the values before and after', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const key = withKey(t.url, tenant.key);
    const template = await callApi<Template>(key, 'POST', '/api/v1/templates', { name: 'Receipt', ...texts });
    await callApi(owner, 'PATCH', `/api/v1/templates/${template.id}`, { text_body: 'Thanks', name: 'Bill' });

    const page = await openAs(t, tenant, '/');
    await page.getByRole('link', { name: 'Audit log' }).click();
    const row = page.getByRole('row', { name: 'Changed template Bill' });
    await row.getByRole('cell', { name: tenant.email, exact: true }).waitFor();
    await row.getByRole('cell', { name: '127.0.0.1', exact: true }).waitFor();
    await page
      .getByRole('row', { name: 'Created template Receipt' })
      .getByRole('cell', { name: 'API key Test key' })
      .waitFor();
    await page.getByRole('row', { name: 'Created workspace' }).getByRole('cell', { name: 'Operator' }).waitFor();

    const details = row.getByRole('button', { name: 'Details: Changed template Bill' });
    expect(await details.getAttribute('aria-expanded')).toBe('false');
    await details.click();
    expect(await details.getAttribute('aria-expanded')).toBe('true');
    const changes = page.getByRole('table', { name: 'Changed template Bill' });
    await changes.getByRole('row', { name: 'name Receipt Bill', exact: true }).waitFor();
    await changes.getByRole('row', { name: 'text body 9 characters 6 characters', exact: true }).waitFor();
    await changes.getByRole('row', { name: 'version 1 2', exact: true }).waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: `All changes by ${tenant.email}` }).click();
    await page.getByText(`Only changes by ${tenant.email}`).waitFor();
    await page.getByRole('row', { name: 'Created template Receipt' }).waitFor({ state: 'detached' });
    await row.waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('row', { name: 'Created template Receipt' }).waitFor();
  });

  test('filters by action', async () => {
    const tenant = await t.newTenant();
    await rename(await withSession(t.url, tenant), 'Corner shop');
    const page = await openAs(t, tenant, '/audit-log');
    await page.getByLabel('Action').selectOption('Changed workspace settings');
    await page.waitForURL(/action=workspace\.updated/);
    await page.getByRole('row', { name: 'Created workspace' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Changed workspace settings Corner shop' }).waitFor();
    await page.getByLabel('Action').selectOption('Deleted domain');
    await page.getByRole('heading', { name: 'No matching changes' }).waitFor();
    await expectAccessible(page);
  });

  test('leads through older and newer pages', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    for (let count = 1; count <= PAGE_SIZE; count += 1) await rename(owner, `Name ${count}`);
    const page = await openAs(t, tenant, '/audit-log');
    await page.getByRole('row', { name: `Changed workspace settings Name ${PAGE_SIZE}` }).waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('row', { name: 'Created workspace' }).waitFor();
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('row', { name: `Changed workspace settings Name ${PAGE_SIZE}` }).waitFor();
  });

  test('is hidden from members, who are told whom to ask', async () => {
    const tenant = await t.newTenant();
    const owner = await withSession(t.url, tenant);
    const member = await addMember(owner, t.sink);
    const page = await openAs(t, member, '/audit-log');
    await page.getByText('Only workspace owners can read the audit log.').waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('fits on a phone', async () => {
    const tenant = await t.newTenant();
    await rename(await withSession(t.url, tenant), `Name${'x'.repeat(90)}`);
    const page = await openAs(t, tenant, '/audit-log', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: /^Details: Changed workspace settings/ }).click();
    await page.getByRole('row', { name: /^name Test Namexx/ }).waitFor();
    const width = await page.evaluate('document.scrollingElement.scrollWidth');
    expect(width).toBe(360);
    await expectAccessible(page);
  });
});
