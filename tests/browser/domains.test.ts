import type { Domain } from '@posthorn/contract';
import { callApi, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { publishRecords } from './fill-workspace.js';
import { openAs } from './show-page.js';

describeInBrowser('domains in the dashboard', (t) => {
  test('can be added, show what is wrong in DNS, and become verified', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/domains');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a domain' });
    await dialog.getByLabel('Domain').fill('not a domain');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog
      .getByText(/domain/i)
      .nth(3)
      .waitFor();
    await dialog.getByLabel('Domain').fill('Acme.test');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { level: 1, name: 'acme.test' }).waitFor();
    await page.getByText('Waiting for DNS records').waitFor();

    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { records } = await callApi<Domain>(withKey(t.url, tenant.key), 'GET', `/api/v1/domains/${id}`);
    expect(records.length).toBeGreaterThan(4);
    // The full names are in collapsed parts, which React renders after the rest.
    await page
      .getByRole('main')
      .filter({ hasText: records.at(-1)?.name ?? '' })
      .waitFor();
    const content = await page.getByRole('main').textContent();
    for (const { name, value } of records) {
      expect(content).toContain(name);
      expect(content).toContain(value);
    }

    publishRecords(t.dns, records);
    const [spf] = records.filter(({ record }) => record === 'spf');
    t.dns.txt(spf?.name ?? '', 'v=spf1 include:elsewhere.example -all');
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Check complete: these records changed').waitFor();
    await page.getByText('Currently in DNS:').waitFor();
    await page.getByText('v=spf1 include:elsewhere.example -all', { exact: true }).waitFor();
    await page.getByText(/wrong: SPF/).waitFor();

    t.dns.txt(spf?.name ?? '', spf?.value ?? '');
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('Check complete: the domain is verified').waitFor();
    await page.getByText('Ready to send').waitFor();

    const rotate = page.getByRole('button', { name: 'Rotate key' });
    await rotate.click();
    const question = page.getByRole('dialog', { name: 'Rotate the signing key?' });
    await question.getByRole('button', { name: 'Keep current key' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await rotate.isEnabled()).toBe(true);
    await rotate.click();
    await question.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('A new key was created. Add its record to DNS.').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('row', { name: /acme\.test.*Verified/ }).waitFor();
  });
});
