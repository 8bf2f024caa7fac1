import type { CreatedApiKey } from '@posthorn/contract';
import { sendEmail, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs, readDownload } from './show-page.js';

describeInBrowser('test mode', (t) => {
  test('shows test mail separately from live mail, with its message and hints', async () => {
    const tenant = await t.newTenant();
    await sendEmail(withKey(t.url, tenant.key), {
      ...{ to: ['jane@example.com'], subject: 'A live email', text: 'Hi' },
    });
    const page = await openAs(t, tenant, '/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('CI');
    await page.getByLabel('Mode').selectOption('Test');
    await page.getByRole('checkbox', { name: 'templates:write' }).check();
    await page.getByText('Changes made with this key also affect live mail.').waitFor();
    await expectAccessible(page);
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === 'POST' && each.url().endsWith('/api/v1/api-keys')),
      page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click(),
    ]);
    const { key } = (await response.json()) as CreatedApiKey;
    expect(key).toMatch(/^ph_test_/);
    await sendEmail(withKey(t.url, key), {
      to: ['jane@example.com'],
      subject: 'BUY NOW PLEASE',
      tags: [{ name: 'kind', value: 'ad' }],
      html: '<a href="http://example.com"><img src="cid:logo"><img alt="Lost" src="cid:lost"></a>',
      attachments: [
        { filename: 'invoice.pdf', content: Buffer.from('%PDF-1.7').toString('base64') },
        { filename: 'logo.gif', content: 'R0lGODlhAQABAAAAACw=', content_id: 'logo' },
      ],
    });

    const list = await openAs(t, tenant, '/emails');
    const fetched: string[] = [];
    list.on('request', (request) => void (/\/message$/.test(request.url()) && fetched.push(request.url())));
    await list.getByRole('link', { name: 'A live email' }).waitFor();
    expect(await list.getByRole('link', { name: 'BUY NOW PLEASE' }).count()).toBe(0);
    await list.getByText('Test mail', { exact: true }).click();
    await list.waitForURL(/mode=test/);
    await list.getByRole('link', { name: 'A live email' }).waitFor({ state: 'detached' });
    await expectAccessible(list);
    await list.getByRole('link', { name: 'BUY NOW PLEASE' }).click();

    await list.getByText('This is test mail, which is never sent to anyone.').waitFor();
    const image = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    await list.frameLocator('iframe').locator(`img[src="${image}"]`).waitFor({ state: 'attached' });
    expect(await list.frameLocator('iframe').getByAltText('Lost').getAttribute('src')).toBe('data:,');
    expect(await list.getByRole('link', { name: 'Send again' }).count()).toBe(0);
    for (const hint of [
      /all in capitals/,
      /no plain text/,
      /mostly images/,
      /1 image without alt text/,
      /http: instead/,
    ])
      await list.getByText(hint).waitFor();
    const [invoice] = await Promise.all([
      list.waitForEvent('download'),
      list.getByRole('button', { name: 'invoice.pdf' }).click(),
    ]);
    expect(await readDownload(invoice)).toBe('%PDF-1.7');
    await list.getByRole('tab', { name: 'Message' }).click();
    const source = list.getByRole('region', { name: 'Email content as message' });
    await source.waitFor();
    for (const part of ['DKIM-Signature:', 'Subject: BUY NOW PLEASE', 'Content-Disposition: attachment'])
      expect(await source.textContent()).toContain(part);
    // The HTML with its images, the saved file and the source share one download.
    expect(fetched).toHaveLength(1);
    await expectAccessible(list);
    const [download] = await Promise.all([
      list.waitForEvent('download'),
      list.getByRole('link', { name: 'Download message' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.eml$/);
    await list.getByRole('link', { name: 'kind: ad' }).click();
    await list.waitForURL(/mode=test/);
    await list.getByRole('link', { name: 'BUY NOW PLEASE' }).waitFor();
  });

  test('says how to begin while there is no test mail', async () => {
    const page = await openAs(t, await t.newTenant(), '/emails?mode=test');
    await page.getByRole('heading', { name: 'No test mail yet' }).waitFor();
    await expectAccessible(page);
    await page.getByText('Live mail', { exact: true }).click();
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor();
  });
});
