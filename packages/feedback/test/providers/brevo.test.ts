import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('brevo');

  test('have our key, our Message-ID and the time', () => {
    expect(readSample('brevo', 'held: other')[0]).toMatchObject({
      key: 'k.ey-1_x',
      providerId: null,
      messageId: 'm1@shop.example',
      occurredAt: new Date('2026-11-28T09:00:09Z'),
    });
  });

  test('have our key among headers of others', () => {
    const read = (custom: string) => readEvents('brevo', { event: 'delivered', 'X-Mailin-custom': custom })[0]?.key;
    expect(read('a:b|posthorn_id:key|c:d')).toBe('key');
    expect(read('not_posthorn_id:key')).toBeNull();
    expect(read('key')).toBeNull();
  });

  test.each([
    ['delivered', '', { kind: 'delivered' }],
    ['deferred', '451 4.7.1 later', { kind: 'deferred', code: 451 }],
    ['hard_bounce', '550 5.1.1 user unknown', { bounceClass: 'bad_mailbox', maySuppress: true }],
    ['hard_bounce', '', { bounceClass: 'bad_mailbox', maySuppress: true }],
    ['hard_bounce', '550 5.7.1 blocked using spamhaus', { bounceClass: 'reputation', maySuppress: false }],
    ['soft_bounce', '550 5.1.1 user unknown', { bounceClass: 'unknown', maySuppress: false }],
    ['soft_bounce', '552 5.2.2 mailbox full', { bounceClass: 'mailbox_full', maySuppress: false }],
    ['invalid_email', '', { bounceClass: 'bad_mailbox', maySuppress: true }],
    ['error', 'something else', { kind: 'refused', about: 'relay' }],
    ['spam', '', { kind: 'complained', maySuppress: true }],
    ['unique_opened', '', { kind: 'ignored' }],
    ['request', '', { kind: 'ignored' }],
  ])('%s "%s"', (event, reason, expected) => {
    expect(readEvents('brevo', { event, reason })[0]).toMatchObject(expected);
  });

  test('in one body count each', () => {
    expect(readEvents('brevo', [{ event: 'delivered' }, { event: 'spam' }])).toHaveLength(2);
  });
});
