import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('postmark');

  test('have our key, the id, the reply and the time', () => {
    expect(readSample('postmark', 'HardBounce')[0]).toMatchObject({
      name: 'Bounce/HardBounce',
      key: 'k.ey-1_x',
      providerId: '7c1d0b52-3d0e-4f2c-9d3b-6d3f0f3c2a10',
      messageId: null,
      code: 550,
      text: 'smtp;550 5.1.1 example',
      occurredAt: new Date('2026-11-28T09:01:07.123Z'),
    });
    expect(readSample('postmark', 'Unknown')[0]?.text).toBe('Unable to classify the bounce.');
    expect(readSample('postmark', 'delivery')[0]?.occurredAt).toEqual(new Date('2026-11-28T09:00:06.123Z'));
  });

  test('of the test button name no message', () => {
    expect(readSample('postmark', 'test button')[0]).toMatchObject({ key: null, providerId: null });
  });

  const bounce = (Type: string, Details = '') => readEvents('postmark', { RecordType: 'Bounce', Type, Details })[0];

  test.each([
    ['HardBounce', '', 'bad_mailbox', true],
    ['BadEmailAddress', '', 'bad_mailbox', true],
    ['HardBounce', 'smtp;550 5.7.1 blocked using spamhaus', 'reputation', false],
    ['HardBounce', 'smtp;550 5.4.4 unable to route', 'bad_domain', true],
    ['SoftBounce', 'smtp;550 5.1.1 user unknown', 'unknown', false],
    ['Blocked', 'smtp;550 5.1.1 user unknown', 'reputation', false],
    ['Blocked', '', 'reputation', false],
    ['DnsError', '', 'unknown', false],
  ])('%s "%s": %s', (type, details, bounceClass, maySuppress) => {
    expect(bounce(type, details)).toMatchObject({ bounceClass, maySuppress });
  });

  test.each([
    ['Your account has been suspended', 'account'],
    ['Something else', 'relay'],
  ])('a message refused later because of "%s" is about %s', (details, about) => {
    expect(bounce('SMTPApiError', details)).toMatchObject({ kind: 'refused', about, text: details });
  });

  test('the operator switching an address off is nobody unsubscribing', () => {
    const change = { RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'ManualSuppression' };
    expect(readEvents('postmark', { ...change, Origin: 'Customer' })[0]?.kind).toBe('ignored');
  });
});
