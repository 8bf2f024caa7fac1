import type { AcceptedEmail, Email } from '@posthorn/contract';
import { callApi, sendEmail, withKey } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs, readDownload } from './show-page.js';

describeInBrowser('the list of emails', (t) => {
  test('finds an email by what people type, filters by period and exports the result', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const send = async (to: string, subject: string) => {
      const email = { to: [to], subject, text: 'It is on its way.' };
      return sendEmail(caller, email);
    };
    const id = await send('jane@example.com', 'Your order 1001');
    await send('joe@example.com', 'Your order 1002');
    const { from_ } = await callApi<Email>(caller, 'GET', `/api/v1/emails/${id}`);
    const page = await openAs(t, tenant, '/emails');
    const search = page.getByLabel('Search', { exact: true });
    const [first, second] = ['Your order 1001', 'Your order 1002'].map((name) => page.getByRole('link', { name }));
    for (const text of ['ORDER 1001', 'jane@', id, `<${id}@${from_.split('@')[1]?.replace('>', '')}>`]) {
      await search.fill('');
      await search.press('Enter');
      await second?.waitFor();
      await search.fill(text);
      await search.press('Enter');
      await second?.waitFor({ state: 'detached' });
      await first?.waitFor();
    }
    await search.fill('order 1001');
    await search.press('Enter');
    await page.waitForURL(/q=order/);
    await page.getByLabel('Period').selectOption('Today');
    await page.waitForURL(/created_after=/);
    await first?.waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('emails.csv');
    const csv = await readDownload(download);
    expect(csv).toContain(`${id},`);
    expect(csv).not.toContain('Your order 1002');
    await search.fill('no such thing');
    await search.press('Enter');
    await page.getByRole('heading', { name: 'No matching emails' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await second?.waitFor();
    expect(await search.inputValue()).toBe('');
    expect(await page.getByLabel('Period').inputValue()).toBe('');
  });

  test('shows the API error about the text next to the field', async () => {
    const tenant = await t.newTenant();
    await sendEmail(withKey(t.url, tenant.key), {
      ...{ to: ['jane@example.com'], subject: 'Hi', text: 'Hi' },
    });
    const page = await openAs(t, tenant, '/emails');
    await page.getByLabel('Search', { exact: true }).fill('ab');
    await page.getByLabel('Search', { exact: true }).press('Enter');
    await page.getByText('must have at least 3 characters; it has 2').waitFor();
    await page.getByRole('heading', { name: 'Invalid filters' }).waitFor();
  });

  test('accepts what people type into the filters, or says what is missing', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const send = async (to: string, tag: string, key: string) => {
      const email = { to: [to], subject: `For ${to}`, text: 'Hi', tags: [{ name: 'campaign', value: tag }] };
      const headers = { ...caller.headers, 'Idempotency-Key': key };
      await callApi<AcceptedEmail>({ ...caller, headers }, 'POST', '/api/v1/emails', email);
    };
    await send('jane@example.com', 'spring', 'order 1001');
    await send('joe@example.org', 'autumn', 'order 1002');
    const refused: string[] = [];
    const page = await openAs(t, tenant, '/emails');
    page.on('response', (response) => void (response.status() === 422 && refused.push(response.url())));
    const jane = page.getByRole('link', { name: 'For jane@example.com' });
    const joe = page.getByRole('link', { name: 'For joe@example.org' });
    const type = async (label: string, text: string) => {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(text);
      await field.press('Enter');
    };
    const expectOnlyJane = async () => {
      await joe.waitFor({ state: 'detached' });
      await jane.waitFor();
    };
    const reset = async () => {
      await page.getByRole('button', { name: 'Reset', exact: true }).click();
      await joe.waitFor();
    };
    for (const part of ['jane', 'example.com', '@example.com']) {
      await type('To', part);
      await page.getByText(`The To filter needs a full address, so the list shows emails with “${part}”`).waitFor();
      await expectOnlyJane();
      expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe(part);
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('');
      await reset();
    }
    await type('To', 'jo');
    await page.getByText('or at least 3 characters to search for').waitFor();
    await type('To', 'Jane <jane@example.com>');
    await expectOnlyJane();
    await reset();

    await page.getByRole('button', { name: 'More filters' }).click();
    await type('From', 'shop');
    await page.getByText('Enter a full address, such as shop@example.com.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('From', { exact: true }).fill('');
    await type('Tag', 'campaign');
    await page.getByText('Type the name and the value of a tag').waitFor();
    await type('Tag', 'campaign: spring');
    await expectOnlyJane();
    await reset();
    await type('Idempotency key', 'order 1001');
    await expectOnlyJane();
    await page.waitForURL(/idempotency_key=order\+1001/);
    await reset();

    await page.getByText('A day in your time zone, UTC.').first().waitFor();
    await page.goto('/emails?created_after=2026-01-05Z');
    await page.getByText('A day in UTC.').first().waitFor();
    await page.getByLabel('Accepted until').fill('2099-02-01');
    await page.waitForURL(/created_before=2099-02-01Z/);
    await jane.waitFor();
    expect(refused).toEqual([]);
  });

  test('lets the user keep searching if there is no match among the newest emails', async () => {
    const tenant = await t.newTenant();
    for (let last = 50_000; last <= STORED; last += 50_000)
      await t.ctx.db.raw(FILL, { workspaceId: tenant.workspaceId, first: last - 49_999, last, stored: STORED });
    const page = await openAs(t, tenant, '/emails?q=the+oldest+one');
    await page.getByRole('heading', { name: 'No match yet' }).waitFor();
    const oldest = page.getByRole('link', { name: 'The oldest one' });
    const more = page.getByRole('link', { name: 'Search older emails' });
    for (let pages = 0; pages < 20 && (await oldest.count()) === 0; pages += 1) {
      const url = page.url();
      await more.or(oldest).first().waitFor();
      if ((await more.count()) === 0) break;
      await more.click();
      await page.waitForURL((now) => now.href !== url);
      await page.locator('[aria-busy=false]').first().waitFor();
    }
    await oldest.waitFor();
  });
});

/** More than the dashboard searches at once. */
const STORED = 250_000;

/** The oldest email is not among the first that a search looks at. As in a UUIDv7, the ids start with the time. */
const FILL = `
  insert into emails (
    id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day, tags
  )
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
    :workspaceId::uuid, 'sent', 'us@example.com', 'us@example.com',
    case when n = :stored::int then 'The oldest one' else 'Your order' end, array['jane@example.com'], 1, at, at::date,
    '{}'
  from generate_series(:first::int, :last::int) as n,
    lateral (select now() - n * interval '1 second' as at) as clock`;
