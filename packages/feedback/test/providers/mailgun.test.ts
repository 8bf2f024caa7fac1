import { createHmac } from 'node:crypto';
import { providers } from '../../src/providers/index.js';
import { HOUR_SECONDS, NOW_SECONDS, secondsAgo, toRequest } from './requests.js';
import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('mailgun');

  test('have our key, our Message-ID, the reply and the time', () => {
    expect(readSample('mailgun', 'hard')[0]).toMatchObject({
      name: 'failed/permanent/bounce',
      key: 'k.ey-1_x',
      providerId: null,
      messageId: 'm1@shop.example',
      code: 550,
      text: '550 5.1.1 no such user',
      occurredAt: new Date('2026-11-28T09:00:05.250Z'),
    });
    expect(readSample('mailgun', 'no-mx')[0]).toMatchObject({ code: null, text: 'No MX for inbox.example' });
  });

  const fail = (data: object, status: object) =>
    readEvents('mailgun', { 'event-data': { event: 'failed', ...data, 'delivery-status': status } })[0];

  test('say a permanent failure without a reply is unknown', () => {
    expect(fail({ severity: 'permanent', reason: 'bounce' }, { code: 550 })).toMatchObject({
      bounceClass: 'unknown',
      maySuppress: false,
    });
  });

  test('say what the list is by the reason or the code', () => {
    expect(fail({ reason: 'suppress-unsubscribe' }, {})).toMatchObject({ kind: 'held', list: 'unsubscribes' });
    expect(fail({ reason: 'generic' }, { code: 607 })).toMatchObject({ kind: 'held', list: 'complaints' });
  });

  test('say that a mailbox provider blocks it', () => {
    expect(fail({ severity: 'permanent', reason: 'espblock' }, { code: 550, message: 'no' })).toMatchObject({
      bounceClass: 'reputation',
      maySuppress: false,
    });
  });
});

describe('verify', () => {
  const KEY = 'signing-key';
  const sign = (timestamp: string, token: string, key = KEY) =>
    createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  const verify = (signature: unknown, secrets = ['another', KEY]) =>
    providers.mailgun.verify(toRequest({ rawBody: Buffer.from(JSON.stringify({ signature })), secrets }));
  const signed = (timestamp: string, token = 'token-1') => ({ timestamp, token, signature: sign(timestamp, token) });

  test('believes a signature of up to 12 hours ago, with any valid key, and gives its token', async () => {
    for (const time of [NOW_SECONDS, secondsAgo(12 * HOUR_SECONDS)])
      expect(await verify(signed(time))).toEqual({ result: 'events', token: 'token-1' });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an array', []],
    ['no token', { timestamp: NOW_SECONDS, token: '', signature: sign(NOW_SECONDS, '') }],
    ['another token', { ...signed(NOW_SECONDS), token: 'token-2' }],
    ['another time', { ...signed(NOW_SECONDS), timestamp: secondsAgo(1) }],
    ['another key', { ...signed(NOW_SECONDS), signature: sign(NOW_SECONDS, 'token-1', 'wrong') }],
  ])('refuses for good with 406: %s', async (_, signature) => {
    expect(await verify(signature)).toMatchObject({ status: 406, reason: 'forged', wwwAuthenticate: null });
  });

  test('refuses an older signature for good', async () => {
    expect(await verify(signed(secondsAgo(12 * HOUR_SECONDS + 1)))).toMatchObject({ status: 406, reason: 'too_old' });
  });

  test('says what is wrong with a secret', () => {
    expect(providers.mailgun.findSecretFault(KEY)).toBeNull();
    expect(providers.mailgun.findSecretFault('')).toMatch(/signing key/);
  });
});
