import { operator } from '@posthorn/domain/audit-log';
import { readStoredBytes } from '@posthorn/domain/plans';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

describeInBrowser('the usage page', (t) => {
  test('shows what the workspace keeps, and how many test sends it has made today', async () => {
    const page = await openAs(t, await t.newTenant(), '/usage');
    const bar = page.getByRole('progressbar', { name: 'Storage' });
    expect(await bar.getAttribute('aria-valuetext')).toMatch(/^[\d.]+ kB of 1 GB$/);
    await page.getByText('Files, templates, suppressions, test mail, large emails and the audit log').waitFor();
    const tests = page.getByRole('progressbar', { name: 'Test sends today' });
    expect(await tests.getAttribute('aria-valuetext')).toBe('0 of 1,000');
    await expectAccessible(page);
  });

  test('says how to make room once little is left', async () => {
    const tenant = await t.newTenant();
    const used = await readStoredBytes(t.ctx.db, tenant.workspaceId);
    await setWorkspaceLimits(t.ctx, operator, tenant.workspaceId, { storage: used + 100 });
    const page = await openAs(t, tenant, '/usage');
    await page.getByRole('link', { name: 'suppressions', exact: true }).waitFor();
    await page.getByText('or upgrade your plan').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'templates', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
  });
});
