import { generateKeyPairSync, sign } from 'node:crypto';
import { cacheCertificates, providers } from '../../src/providers/index.js';
import { createCertificate, createRsaKeys } from './certificate.js';
import { EVENTS, FORGED, NOW, toRequest } from './requests.js';

const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:mail-feedback';
const OTHER_TOPIC = 'arn:aws:sns:eu-west-1:444455556666:somebody-else';
const TOKEN = '2336412f37fb687f5d51e6e241d09c8';
const HOST = 'https://sns.eu-west-1.amazonaws.com';
const FILE = 'SimpleNotificationService-0f3a5b7c9d1e2f4a6b8c0d2e4f6a8b0c.pem';
const CERTIFICATE_URL = `${HOST}/${FILE}`;
const toSubscribeUrl = (topic: string, host = HOST) =>
  `${host}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=${TOKEN}`;

const keys = createRsaKeys();
const certificate = createCertificate(keys);

const SIGNED = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

type Message = Record<string, string | undefined>;

function toNotification(message: Message = {}): Message {
  return {
    Type: 'Notification',
    MessageId: 'a1000000-0000-4000-8000-000000000005',
    TopicArn: TOPIC,
    Message: ' {"eventType": "Open"}\n',
    Timestamp: '2026-11-28T09:00:10.000Z',
    SignatureVersion: '1',
    SigningCertURL: CERTIFICATE_URL,
    ...message,
  };
}

function toConfirmation(message: Message = {}): Message {
  const topic = message.TopicArn ?? TOPIC;
  return toNotification({
    Type: 'SubscriptionConfirmation',
    Message: `You have chosen to subscribe to the topic ${topic}.`,
    Token: TOKEN,
    SubscribeURL: toSubscribeUrl(topic),
    ...message,
  });
}

function signMessage(message: Message, algorithm = message.SignatureVersion === '2' ? 'sha256' : 'sha1'): Message {
  const fields = SIGNED.filter((name) => message[name] !== undefined);
  const signed = fields.map((name) => `${name}\n${message[name]}\n`).join('');
  return { ...message, Signature: sign(algorithm, Buffer.from(signed), keys.privateKey).toString('base64') };
}

/** @returns what to do, and the URLs that were fetched */
async function verify(
  message: Message,
  { pinnedTopic = null as string | null, pem = certificate as string | null } = {},
) {
  const fetched: string[] = [];
  const verification = await providers.ses.verify(
    toRequest({
      // Amazon SNS posts JSON as text.
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      rawBody: Buffer.from(JSON.stringify(message)),
      pinnedTopic,
      fetchCertificate: async (url) => {
        fetched.push(url);
        return pem;
      },
    }),
  );
  return { verification, fetched };
}

const confirm = { result: 'confirm', topic: TOPIC, url: toSubscribeUrl(TOPIC), messageId: toNotification().MessageId };
const refusedTopic = (topic: string) =>
  expect.objectContaining({
    result: 'refused',
    status: 401,
    reason: 'other_topic',
    detail: expect.stringContaining(topic),
  });

describe('a subscription', () => {
  test('is confirmed once it is well signed, and again while its topic is pinned', async () => {
    expect((await verify(signMessage(toConfirmation()))).verification).toEqual(confirm);
    expect((await verify(signMessage(toConfirmation()), { pinnedTopic: TOPIC })).verification).toEqual(confirm);
  });

  test('with the certificate of another host is refused, and nothing is fetched', async () => {
    const message = signMessage(toConfirmation({ SigningCertURL: `https://files.attacker.test/${FILE}` }));
    expect(await verify(message)).toEqual({ verification: FORGED, fetched: [] });
  });

  test('of another topic is refused, and the topic is named', async () => {
    const message = signMessage(toConfirmation({ TopicArn: OTHER_TOPIC }));
    expect(await verify(message, { pinnedTopic: TOPIC })).toEqual({
      verification: refusedTopic(OTHER_TOPIC),
      fetched: [],
    });
  });

  test('that ended is told, and its URL is not given', async () => {
    const message = signMessage(toConfirmation({ Type: 'UnsubscribeConfirmation' }));
    const { verification } = await verify(message, { pinnedTopic: TOPIC });
    expect(verification).toEqual({ result: 'unsubscribed', topic: TOPIC });
    expect((await verify(message)).verification).toEqual(refusedTopic(TOPIC));
  });

  test.each([
    toSubscribeUrl(OTHER_TOPIC),
    `${HOST}/?Action=Unsubscribe&SubscriptionArn=${TOPIC}:5f1c8f9e-0d1b-4c77-9c55-3d2f6e1a7b20`,
    'http://169.254.169.254/latest/meta-data/?Action=ConfirmSubscription',
    toSubscribeUrl(TOPIC, 'https://sns.eu-west-1.amazonaws.com.attacker.test'),
    toSubscribeUrl(TOPIC, 'https://sns.eu-west-1.amazonaws.com@attacker.test'),
    toSubscribeUrl(TOPIC, 'https://sns.eu-west-1.amazonaws.com:8443'),
    toSubscribeUrl(TOPIC, 'http://sns.eu-west-1.amazonaws.com'),
    toSubscribeUrl(TOPIC, 'https://sns.us-east-1.amazonaws.com'),
    `${toSubscribeUrl(TOPIC)}&Action=Publish`,
    `${toSubscribeUrl(TOPIC)}&Message=x`,
    `${toSubscribeUrl(TOPIC)}#x`,
    toSubscribeUrl(TOPIC).replace(TOKEN, 'another'),
    toSubscribeUrl(TOPIC).replace('/?', '/x?'),
    '',
  ])('is not confirmed at %s', async (SubscribeURL) => {
    expect((await verify(signMessage(toConfirmation({ SubscribeURL })))).verification).toEqual(FORGED);
  });
});

describe('a notification', () => {
  test.each(['1', '2'])('with signature version %s is believed', async (SignatureVersion) => {
    const message = signMessage(toNotification({ SignatureVersion }));
    expect((await verify(message, { pinnedTopic: TOPIC })).verification).toEqual(EVENTS);
    const withSubject = signMessage(toNotification({ SignatureVersion, Subject: 'Amazon SES Notification' }));
    expect((await verify(withSubject, { pinnedTopic: TOPIC })).verification).toEqual(EVENTS);
  });

  test('of another topic is refused, also before one is pinned', async () => {
    const message = signMessage(toNotification({ TopicArn: OTHER_TOPIC }));
    expect((await verify(message, { pinnedTopic: TOPIC })).verification).toEqual(refusedTopic(OTHER_TOPIC));
    expect((await verify(message)).verification).toEqual(refusedTopic(OTHER_TOPIC));
  });

  test.each<[string, Message]>([
    ['version 2 signed with SHA-1', signMessage(toNotification({ SignatureVersion: '2' }), 'sha1')],
    ['an unknown version', signMessage(toNotification({ SignatureVersion: '3' }))],
    ['another message', { ...signMessage(toNotification()), Message: 'x' }],
    ['another type', { ...signMessage(toNotification()), Type: 'UnsubscribeConfirmation' }],
    ['an unknown type', signMessage(toNotification({ Type: 'constructor' }))],
    ['no signature', toNotification()],
    ['no topic', signMessage(toNotification({ TopicArn: '' }))],
    ['no fields', {}],
  ])('is refused: %s', async (_, message) => {
    expect((await verify(message, { pinnedTopic: message.TopicArn ?? null })).verification).toEqual(FORGED);
  });

  test('is refused without a certificate or with one of another key', async () => {
    const message = signMessage(toNotification());
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const pem of [null, '', 'x', createCertificate(createRsaKeys()), createCertificate({ publicKey, privateKey })])
      expect((await verify(message, { pinnedTopic: TOPIC, pem })).verification).toEqual(FORGED);
  });

  test('must be sent again if the certificate cannot be fetched for now', async () => {
    const rawBody = Buffer.from(JSON.stringify(signMessage(toNotification())));
    const request = toRequest({
      rawBody,
      pinnedTopic: TOPIC,
      fetchCertificate: () => Promise.reject(new Error('DNS')),
    });
    expect(await providers.ses.verify(request)).toMatchObject({ status: 503, reason: 'no_certificate' });
  });

  test('without its envelope is refused, and says what to switch off', async () => {
    const headers = { 'x-amz-sns-rawdelivery': 'true', 'content-type': 'text/plain' };
    const rawBody = Buffer.from('{"eventType": "Bounce"}');
    expect(await providers.ses.verify(toRequest({ headers, rawBody }))).toMatchObject({
      status: 401,
      reason: 'raw_delivery',
      detail: expect.stringMatching(/raw message delivery is on.*switch it off/i),
    });
  });
});

const CN_TOPIC = 'arn:aws-cn:sns:cn-north-1:111122223333:mail-feedback';

test.each([
  [TOPIC, CERTIFICATE_URL],
  [CN_TOPIC, `https://sns.cn-north-1.amazonaws.com.cn/${FILE}`],
  [
    TOPIC.replace('aws:sns:eu-west-1', 'aws-us-gov:sns:us-gov-west-1'),
    `https://sns.us-gov-west-1.amazonaws.com/${FILE}`,
  ],
])('the certificate of %s is fetched at %s', async (TopicArn, SigningCertURL) => {
  const { verification, fetched } = await verify(signMessage(toNotification({ TopicArn, SigningCertURL })), {
    pinnedTopic: TopicArn,
  });
  expect([verification, fetched]).toEqual([EVENTS, [SigningCertURL]]);
});

test.each([
  [TOPIC, `http://sns.eu-west-1.amazonaws.com/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com.attacker.test/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com@attacker.test/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.s3.amazonaws.com/${FILE}`],
  [TOPIC, `https://s3.eu-west-1.amazonaws.com/sns/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com:8443/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com/x/../${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com/${FILE}?x`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com/${FILE}\n`],
  [TOPIC, `https://SNS.eu-west-1.amazonaws.com/${FILE}`],
  [TOPIC, 'https://sns.eu-west-1.amazonaws.com/?Action=Publish&Message=x.pem'],
  [TOPIC, `https://sns.us-east-1.amazonaws.com/${FILE}`],
  [TOPIC, `https://sns.eu-west-1.amazonaws.com.cn/${FILE}`],
  [CN_TOPIC, `https://sns.cn-north-1.amazonaws.com/${FILE}`],
  ['arn:aws:sns:attacker.test/:111122223333:x', `https://sns.attacker.test/.amazonaws.com/${FILE}`],
])('no certificate of %s is fetched at %s', async (TopicArn, SigningCertURL) => {
  const message = signMessage(toNotification({ TopicArn, SigningCertURL }));
  expect(await verify(message, { pinnedTopic: TopicArn })).toEqual({ verification: FORGED, fetched: [] });
});

describe('cacheCertificates', () => {
  function open(answer: (url: string) => Promise<string | null>) {
    const state = { now: NOW, fetched: 0 };
    const fetchCertificate = cacheCertificates(
      (url) => {
        state.fetched++;
        return answer(url);
      },
      () => state.now,
    );
    return { state, fetchCertificate };
  }

  test('fetches a certificate once a day, also if requests come at the same time', async () => {
    const { state, fetchCertificate } = open(async () => certificate);
    expect(await Promise.all([fetchCertificate('a'), fetchCertificate('a')])).toEqual([certificate, certificate]);
    expect(state.fetched).toBe(1);
    state.now = new Date(NOW.getTime() + 25 * 3_600_000);
    await fetchCertificate('a');
    expect(state.fetched).toBe(2);
  });

  test('keeps neither a failure nor a missing certificate', async () => {
    const { state, fetchCertificate } = open(async (url) => {
      if (url === 'fails') throw new Error('DNS');
      return null;
    });
    await expect(fetchCertificate('fails')).rejects.toThrow('DNS');
    await expect(fetchCertificate('fails')).rejects.toThrow('DNS');
    expect(await fetchCertificate('missing')).toBeNull();
    expect(await fetchCertificate('missing')).toBeNull();
    expect(state.fetched).toBe(4);
  });

  test('forgets the oldest of many', async () => {
    const { state, fetchCertificate } = open(async () => certificate);
    for (let index = 0; index <= 32; index++) await fetchCertificate(String(index));
    await fetchCertificate('32');
    expect(state.fetched).toBe(33);
    await fetchCertificate('0');
    expect(state.fetched).toBe(34);
  });
});
