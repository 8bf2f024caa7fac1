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
    ...['Vorstand', 'Geschäftsführer', 'Buchhaltung', 'Lohnbüro', 'Direction Générale', 'Comptabilité', 'Nómina'],
    ...['Dr. CEO', 'Managing Director', 'Mail Delivery Subsystem', 'adrnin', 'vvebmaster', 'rnailer-daemon'],
    ...['Trouble', 'Administrator', 'Post-Master', 'Posthorn Security', 'billing support', 'b'],
    ...[
      'CEO',
      'cfo',
      'HR',
      'Payroll',
      'Accounts Payable',
      'no_reply',
      'Human Resources',
      'President',
      'Fraud',
      'Legal',
    ],
    ...[
      'ceo1',
      'CEO-2',
      '1ceo',
      'c-e-o',
      'The CEO',
      'our hr department',
      'Head of HR',
      'Supp0rt',
      'bi11ing',
      'b1lling',
    ],
    ...['Payroll 2026', 'Office of the CEO', 'Secur1ty', 'Cеo Bakery', 'Pаypal', 'ACME Suppоrt', 'Ѕales'],
  ])('of %s is generated, because mail from that address would mislead recipients', (name) => {
    expect(toSlug(name)).toMatch(/^workspace-[a-z0-9]{6}$/);
  });

  test.each([
    ['Acme Support', 'acme-support'],
    ['Newsroom', 'newsroom'],
    ['Mailchimp', 'mailchimp'],
    ['Bakery 24', 'bakery-24'],
    ['3M', '3m'],
    ['The Bakery', 'the-bakery'],
    ['Ceona', 'ceona'],
    ['Cornwall Barn', 'cornwall-barn'],
    ['Яндекс Taxi', 'taxi'],
    ['Tシャツ Shop', 't-shop'],
  ])('of %s is %s, because only whole names are reserved', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });

  test('with a suffix is different each time and within the limit', () => {
    const slug = withSuffix('a'.repeat(40));
    expect(slug).toMatch(/^a{33}-[a-z0-9]{6}$/);
    expect(withSuffix('a'.repeat(40))).not.toBe(slug);
  });
});
