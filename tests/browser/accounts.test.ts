import type { Page } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { mailedLink } from './mailed-link.js';
import { logIn, logInThroughForm, openAs, showPage } from './show-page.js';

const NEW_PASSWORD = 'another horse, another battery';

const findHeading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const untilLoggedIn = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor();
const untilLogInPage = (page: Page) => findHeading(page, 'Log in').waitFor();

/** Signs up, and waits for the dashboard with its notice. */
async function signUp(page: Page, email: string): Promise<void> {
  await showPage(page, '/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('region', { name: 'Confirm your email address' }).waitFor();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
}

describeInBrowser('the dashboard', (t) => {
  test('requires a login, then opens the requested page', async () => {
    const page = await t.newPage();
    await page.goto('/templates');
    await untilLogInPage(page);
    const { email, password } = await t.newTenant();
    await logInThroughForm(page, { email, password: 'a wrong password' });
    await page
      .getByRole('alert')
      .getByText(/^No account matches this email and password/)
      .waitFor();
    await logInThroughForm(page, { email, password });
    await findHeading(page, 'Templates').waitFor();
    expect(new URL(page.url()).pathname).toBe('/templates');
  });

  test('tells the user that the session has ended, and returns to the page after login', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/templates');
    await t.ctx.db('sessions').where({ user_id: tenant.userId }).del();
    await page.getByRole('link', { name: 'Emails' }).click();
    await page.getByRole('status').getByText('Your session has ended').waitFor();
    await logInThroughForm(page, tenant);
    await findHeading(page, 'Emails').waitFor();
    expect(new URL(page.url()).pathname).toBe('/emails');
  });

  test('logs the user out in all tabs at once', async () => {
    const first = await openAs(t, await t.newTenant(), '/');
    const second = await first.context().newPage();
    await showPage(second, '/domains');
    await logOut(first);
    await Promise.all([untilLogInPage(first), untilLogInPage(second)]);
    await first.goBack();
    await untilLogInPage(first);
  });

  test('logs the user out of all sessions', async () => {
    const tenant = await t.newTenant();
    const here = await openAs(t, tenant, '/settings?tab=account');
    const elsewhere = await openAs(t, tenant, '/domains');
    await here.getByRole('button', { name: 'Log out everywhere' }).click();
    await here.getByRole('dialog').getByRole('button', { name: 'Log out everywhere' }).click();
    await untilLogInPage(here);
    await elsewhere.getByRole('link', { name: 'Emails' }).click();
    await untilLogInPage(elsewhere);
  });

  test('resets the password with an emailed link that works only once', async () => {
    const { email, password } = await t.newTenant();
    const page = await t.newPage();
    await showPage(page, '/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The login form, which is shown until then, also asks for an email address.
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Email me a reset link' }).click();
    await page.getByRole('status').getByText('Check your inbox').waitFor();
    const link = await mailedLink(t.sink, email);
    await page.goto(link);
    await page.waitForURL(`${t.url}/reset-password`);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText(/must have at least 10|10 characters or more|at least 10 characters long/).waitFor();
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('status').getByText('Your new password is set').waitFor();
    await logInThroughForm(page, { email, password });
    await page
      .getByRole('alert')
      .getByText(/^No account matches this email and password/)
      .waitFor();
    await logInThroughForm(page, { email, password: NEW_PASSWORD });
    await untilLoggedIn(page);
    const other = await t.newPage();
    await other.goto(link);
    await other.getByLabel('New password').fill(NEW_PASSWORD);
    await other.getByRole('button', { name: 'Set password' }).click();
    await other.getByRole('alert').getByText('This link does not work').waitFor();
  });

  test('confirms the email address in another browser, where the link asks for a login', async () => {
    const account = { email: 'phone@example.com', password: NEW_PASSWORD };
    await signUp(await t.newPage(), account.email);
    const phone = await t.newPage();
    await phone.goto(await mailedLink(t.sink, account.email));
    await phone.waitForURL(`${t.url}/verify-email`);
    await phone.getByLabel('Email', { exact: true }).fill(account.email);
    await phone.getByLabel('Password', { exact: true }).fill('a wrong password');
    const confirm = phone.getByRole('button', { name: 'Log in and confirm' });
    await confirm.click();
    await phone
      .getByRole('alert')
      .getByText(/^No account matches/)
      .waitFor();
    await phone.getByLabel('Password', { exact: true }).fill(account.password);
    await confirm.click();
    await phone.getByRole('status').getByText('Your email address is confirmed').waitFor();
    await phone.getByRole('button', { name: 'Go to overview' }).click();
    await untilLoggedIn(phone);
    expect(await phone.getByRole('region', { name: 'Confirm your email address' }).count()).toBe(0);
  });

  test('lets the user request another link, and offers no invitations until the address is confirmed', async () => {
    const page = await t.newPage();
    await signUp(page, 'again@example.com');
    await page.getByRole('button', { name: 'Send the link again' }).click();
    await page.getByText('An email with a new link is on its way.').waitFor();
    await showPage(page, '/settings?tab=members');
    await page.getByText('Confirm your email address first.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  });

  test('lets the owner of an address delete an account that someone else created with it', async () => {
    const attacker = await t.newPage();
    await signUp(attacker, 'victim@example.com');
    const page = await t.newPage();
    const link = await mailedLink(t.sink, 'victim@example.com');
    await page.goto(link);
    await page.getByRole('button', { name: 'I did not sign up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('status').getByText('The account has been deleted').waitFor();
    await attacker.getByRole('link', { name: 'Emails', exact: true }).click();
    await untilLogInPage(attacker);
    await page.goto(link);
    await page.getByRole('button', { name: 'I did not sign up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('alert').getByText('This link does not work').waitFor();
  });

  test('tells a user who resets the password for the first time that the account has a new workspace', async () => {
    const attacker = await t.newPage();
    await signUp(attacker, 'owner@example.com');
    await attacker.request.post('/api/v1/api-keys', { data: { name: 'x', scopes: ['emails:send'] } });
    const page = await t.newPage();
    await page.request.post('/auth/forgot', { data: { email: 'owner@example.com' } });
    await page.goto(await mailedLink(t.sink, 'owner@example.com', '/reset-password'));
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('status').getByText('your account has a new, empty workspace').waitFor();
  });

  test('lets a user join a workspace through an emailed invitation, and shows the new member no owner actions', async () => {
    const owner = await openAs(t, await t.newTenant(), '/settings?tab=members');
    await owner.getByLabel('Email').fill('joe@example.com');
    await owner.getByRole('button', { name: 'Invite' }).click();
    await owner.getByRole('row', { name: /joe@example.com Member Invited/ }).waitFor();
    const page = await t.newPage();
    await page.goto(await mailedLink(t.sink, 'joe@example.com'));
    await page.getByText('You have been invited to join Test as a member.').waitFor();
    await page.waitForURL(`${t.url}/accept-invitation`);
    await page.getByLabel('Choose a password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Join workspace' }).click();
    await untilLoggedIn(page);
    for (const path of ['/api-keys', '/domains', '/settings?tab=members']) {
      await showPage(page, path);
      await page.getByText(/^Only workspace owners can/).waitFor();
      const owners = page.getByRole('button', { name: /^(Create API key|Revoke|Add domain|Invite)/ });
      expect([path, await owners.count()]).toEqual([path, 0]);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page, action or email' }).fill('api key');
    await page.getByRole('option', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('option', { name: 'Create an API key' }).count()).toBe(0);
    const guest = await t.newPage();
    await logIn(guest, { email: 'joe@example.com', password: NEW_PASSWORD });
    expect((await guest.request.post('/api/v1/api-keys', { data: { name: 'x', scopes: [] } })).status()).toBe(403);
  });
});
