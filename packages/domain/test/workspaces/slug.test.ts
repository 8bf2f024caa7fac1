import { toSlug, withSuffix } from '../../src/workspaces/slug.js';

describe('the slug', () => {
  test.each([
    ['Acme', 'acme'],
    ['Café Zoë & Co.', 'cafe-zoe-co'],
    ['  --Two   words--  ', 'two-words'],
    ['a'.repeat(60), 'a'.repeat(40)],
    [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
    ['x"@evil.example', 'x-evil-example'],
  ])('of %j is %s', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });

  test('of a name without Latin letters or digits is generated', () => {
    expect(toSlug('株式会社')).toMatch(/^workspace-[a-z0-9]{6}$/);
    expect(toSlug('!!!')).toMatch(/^workspace-[a-z0-9]{6}$/);
  });

  test.each([
    ...['Postmaster', 'abuse', 'No-Reply', 'noreply', 'bounces', 'ADMIN', 'Mailer-Daemon', 'FBL', 'Return-Path'],
    ...['Posthorn', 'Accounts', 'sysadmin', 'mail', 'ssladmin', 'dmarc', 'sales', 'www', 'root', 'SSL Webmaster'],
    ...['Info', 'Marketing', 'Support', 'NOC', 'Security', 'Hostmaster', 'Usenet', 'News', 'Webmaster', 'UUCP', 'FTP'],
    ...['Trouble', 'Administrator', 'Post-Master', 'Posthorn Security', 'billing support', 'b'],
  ])('of %s is generated, because mail from that address would mislead recipients', (name) => {
    expect(toSlug(name)).toMatch(/^workspace-[a-z0-9]{6}$/);
  });

  test.each([
    ['Acme Support', 'acme-support'],
    ['Newsroom', 'newsroom'],
    ['Mailchimp', 'mailchimp'],
  ])('of %s is %s, because only whole names are reserved', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });

  test('with a suffix is different each time and within the limit', () => {
    const slug = withSuffix('a'.repeat(40));
    expect(slug).toMatch(/^a{33}-[a-z0-9]{6}$/);
    expect(withSuffix('a'.repeat(40))).not.toBe(slug);
  });
});
