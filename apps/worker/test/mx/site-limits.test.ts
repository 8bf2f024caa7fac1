import { findSiteLimits, providerLimits } from '../../src/mx/site-limits.js';

test.each([
  ['gmail-smtp-in.l.google.com', { connections: 5, recipientsPerMessage: 50, messagesPerConnection: 50 }],
  ['aspmx2.googlemail.com', { connections: 5, recipientsPerMessage: 50, messagesPerConnection: 50 }],
  ['outlook-com.olc.protection.outlook.com', { connections: 5, recipientsPerMessage: 50, messagesPerConnection: 50 }],
  ['acme-example.mail.protection.outlook.com', { connections: 5, recipientsPerMessage: 50, messagesPerConnection: 50 }],
  ['mta5.am0.yahoodns.net', { connections: 5, recipientsPerMessage: 20, messagesPerConnection: 20 }],
  ['mx01.mail.icloud.com', { connections: 10, recipientsPerMessage: 50, messagesPerConnection: 5 }],
  ['smtp-in.orange.fr', { connections: 2, recipientsPerMessage: 20, messagesPerConnection: 50 }],
  ['mx00.gmx.net', { connections: 5, recipientsPerMessage: 50, messagesPerConnection: 50 }],
  ['mx.example.net', { connections: 10, recipientsPerMessage: 50, messagesPerConnection: 100 }],
  ['mx.notgoogle.com', { connections: 10, recipientsPerMessage: 50, messagesPerConnection: 100 }],
])('the limits of a site by its MX hosts: %s', (host, limits) => {
  expect(findSiteLimits([host])).toEqual(limits);
});

test('one host of a provider is enough', () => {
  expect(findSiteLimits(['filter.example.net', 'mx01.mail.icloud.com'])).toEqual(
    findSiteLimits(['mx01.mail.icloud.com']),
  );
});

test('no limit is over what every server must take', () => {
  for (const { recipientsPerMessage, connections, messagesPerConnection } of providerLimits) {
    expect(recipientsPerMessage).toBeLessThanOrEqual(100);
    expect(Math.min(connections, messagesPerConnection)).toBeGreaterThan(0);
  }
});
