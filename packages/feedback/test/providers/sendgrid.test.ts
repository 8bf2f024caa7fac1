import { generateKeyPairSync, sign } from 'node:crypto';
import { providers } from '../../src/providers/index.js';
import { EVENTS, FORGED, HOUR_SECONDS, NOW_SECONDS, secondsAgo, TOO_OLD, toRequest } from './requests.js';
import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('sendgrid');

  test('have our key, the ids, the reply and the time', () => {
    const [, deferred, , bounced] = readSample('sendgrid', 'a batch of all kinds');
    expect(bounced).toMatchObject({
      name: 'bounce/bounce',
      key: 'k.ey-1_x',
      providerId: 'PID',
      messageId: 'm1@shop.example',
      code: 550,
      text: '550 5.1.1 user unknown',
      occurredAt: new Date('2026-11-28T09:00:03Z'),
    });
    expect(deferred).toMatchObject({ code: 451, text: '451 4.7.1 greylisted, come back later' });
  });

  test('have an id each, which is the same when they are sent again', () => {
    const ids = readSample('sendgrid', 'a batch of all kinds').map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(readSample('sendgrid', 'a batch of all kinds').map(({ eventId }) => eventId)).toEqual(ids);
  });

  const bounce = (facts: object) =>
    readEvents('sendgrid', [{ event: 'bounce', email: 'jane@inbox.example', ...facts }])[0];

  test.each([
    [{ type: 'bounce', bounce_classification: 'Invalid Address' }, 'bad_mailbox', true],
    [{ type: 'bounce', status: '5.0.0', bounce_classification: 'Invalid Address' }, 'bad_mailbox', true],
    [{ type: 'bounce' }, 'unknown', false],
    [{ type: 'bounce', bounce_classification: 'Technical', status: '5.0.0' }, 'unknown', false],
    [
      { type: 'bounce', bounce_classification: 'Invalid Address', reason: '550 5.7.1 blocked using spamhaus' },
      'reputation',
      false,
    ],
    [
      { type: 'bounce', bounce_classification: 'Invalid Address', reason: 'unable to get mx info: i/o timeout' },
      'unknown',
      false,
    ],
    [{ type: 'blocked', bounce_classification: 'Invalid Address', reason: '550 5.1.1 user unknown' }, 'unknown', false],
    [{ type: 'blocked', bounce_classification: 'Reputation' }, 'reputation', false],
  ])('%p: %s', (facts, bounceClass, maySuppress) => {
    expect(bounce(facts)).toMatchObject({ bounceClass, maySuppress });
  });

  test.each([
    ['Invalid', 'held', null],
    ['Spam Content (if Spam Checker app is enabled)', 'refused', 'message'],
    ['Recipient List over Package Quota', 'refused', 'quota'],
    ['Something new', 'refused', 'relay'],
  ])('a message dropped because of %s is %s', (reason, kind, about) => {
    expect(readEvents('sendgrid', [{ event: 'dropped', reason }])[0]).toMatchObject({ kind, about, text: reason });
  });
});

describe('verify', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
  // Not as JSON.stringify would write it: the bytes are signed.
  const rawBody = Buffer.from('[\r\n {"event": "delivered"} ]\r\n');
  const signature = (timestamp: string, body = rawBody) =>
    sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), privateKey).toString('base64');
  const verify = (timestamp: string, signed: string, secrets = [other.toString('base64'), secret]) =>
    providers.sendgrid.verify(
      toRequest({
        rawBody,
        secrets,
        headers: {
          'x-twilio-email-event-webhook-timestamp': timestamp,
          'x-twilio-email-event-webhook-signature': signed,
        },
      }),
    );

  test('believes a signature of up to 26 hours ago, with any valid key', async () => {
    for (const time of [NOW_SECONDS, secondsAgo(20 * HOUR_SECONDS), secondsAgo(26 * HOUR_SECONDS)])
      expect(await verify(time, signature(time))).toEqual(EVENTS);
  });

  test('refuses an older signature, one of the future, and one of another key, time or body', async () => {
    const late = secondsAgo(26 * HOUR_SECONDS + 1);
    expect(await verify(late, signature(late))).toEqual(TOO_OLD);
    const future = secondsAgo(-HOUR_SECONDS);
    expect(await verify(future, signature(future))).toEqual(TOO_OLD);
    expect(await verify(NOW_SECONDS, signature(secondsAgo(1)))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, signature(NOW_SECONDS, Buffer.from('[]')))).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, signature(NOW_SECONDS), [other.toString('base64')])).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, signature(NOW_SECONDS), [])).toEqual(FORGED);
    expect(await verify(NOW_SECONDS, signature(NOW_SECONDS), ['no key'])).toEqual(FORGED);
    expect(await verify('', '')).toEqual(FORGED);
    expect(await providers.sendgrid.verify(toRequest({ secrets: [secret] }))).toEqual(FORGED);
  });

  test('says what is wrong with a secret', () => {
    const { findSecretFault } = providers.sendgrid;
    expect(findSecretFault(secret)).toBeNull();
    expect(findSecretFault(String(publicKey.export({ format: 'pem', type: 'spki' })))).toBeNull();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'der', type: 'spki' });
    for (const wrong of ['', 'SG.key', rsa.toString('base64')])
      expect(findSecretFault(wrong)).toMatch(/^The secret must/);
  });
});
