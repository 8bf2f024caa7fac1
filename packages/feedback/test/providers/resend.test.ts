import { createHmac, randomBytes } from 'node:crypto';
import { providers } from '../../src/providers/index.js';
import { EVENTS, FORGED, NOW_SECONDS, secondsAgo, TOO_OLD, toRequest } from './requests.js';
import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('resend');

  test('have the ids and the time of the event, not that of the email', () => {
    expect(readSample('resend', 'time of the event')[0]).toMatchObject({
      providerId: 'PID',
      messageId: 'm1@shop.example',
      occurredAt: new Date('2026-11-28T09:07:00Z'),
    });
  });

  test.each([[[{ name: 'x-posthorn-id', value: 'key' }]], [{ 'X-Posthorn-ID': 'key' }]])(
    'have our key if it repeats the headers: %p',
    (headers) => {
      expect(readEvents('resend', { type: 'email.delivered', data: { headers } })[0]?.key).toBe('key');
    },
  );

  test.each([
    [
      { type: 'Permanent', subType: 'NoEmail' },
      { bounceClass: 'bad_mailbox', maySuppress: true },
    ],
    [
      { type: 'Permanent', subType: 'General' },
      { bounceClass: 'unknown', maySuppress: false },
    ],
    [
      { type: 'Permanent', subType: 'OnAccountSuppressionList' },
      { kind: 'held', list: 'other' },
    ],
    [{ type: 'New' }, { kind: 'ignored' }],
  ])('a bounce is read as that of Amazon SES: %p', (bounce, expected) => {
    expect(readEvents('resend', { type: 'email.bounced', data: { bounce } })[0]).toMatchObject(expected);
  });

  test.each([
    [
      'email.suppressed',
      { suppressed: { message: 'On the list' } },
      { kind: 'held', list: 'other', text: 'On the list' },
    ],
    ['email.failed', { failed: { reason: 'reached_daily_quota' } }, { kind: 'refused', about: 'quota' }],
    ['email.failed', {}, { kind: 'refused', about: 'relay' }],
    ['email.delivery_delayed', {}, { kind: 'deferred' }],
    ['email.opened', {}, { kind: 'ignored' }],
    ['contact.created', {}, { kind: 'ignored' }],
  ])('%s %p', (type, data, expected) => {
    expect(readEvents('resend', { type, data })[0]).toMatchObject(expected);
  });
});

describe('verify', () => {
  const key = randomBytes(24);
  const SECRET = `whsec_${key.toString('base64')}`;
  const rawBody = Buffer.from('{"type": "email.delivered"}');
  const sign = (id: string, timestamp: string, body: Buffer | string = rawBody) =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const verify = (
    timestamp: string,
    signature: string,
    secrets = [`whsec_${randomBytes(24).toString('base64')}`, SECRET],
  ) =>
    providers.resend.verify(
      toRequest({
        rawBody,
        secrets,
        headers: { 'svix-id': 'msg_1', 'svix-timestamp': timestamp, 'svix-signature': signature },
      }),
    );

  test('believes a signature of up to 5 minutes ago, among others and with any valid secret', async () => {
    for (const time of [NOW_SECONDS, secondsAgo(300), secondsAgo(-300)])
      expect(await verify(time, `v1a,xx v1,other ${sign('msg_1', time)}`)).toEqual(EVENTS);
  });

  test('refuses all others', async () => {
    for (const time of [secondsAgo(301), secondsAgo(-301)])
      expect(await verify(time, sign('msg_1', time))).toEqual(TOO_OLD);
    expect(await verify(NOW_SECONDS, sign('msg_2', NOW_SECONDS))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, sign('msg_1', secondsAgo(1)))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, sign('msg_1', NOW_SECONDS, '{}'))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, sign('msg_1', NOW_SECONDS).replace('v1,', 'v2,'))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, sign('msg_1', NOW_SECONDS), [])).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, sign('msg_1', NOW_SECONDS), ['whsec_'])).toEqual(FORGED);
    expect(await providers.resend.verify(toRequest({ secrets: [SECRET] }))).toEqual(FORGED);
  });

  test('says what is wrong with a secret', () => {
    expect(providers.resend.findSecretFault(SECRET)).toBeNull();
    for (const wrong of ['', 'whsec_', 're_key', 'whsec_!'])
      expect(providers.resend.findSecretFault(wrong)).toMatch(/whsec_/);
  });
});
