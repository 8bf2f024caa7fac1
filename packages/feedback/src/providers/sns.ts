import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { at, parseJson, toText } from './json.js';
import type { FeedbackRequest, FetchCertificate, Verification } from './provider.js';
import { asEvents, FORGED, getHeader, type Refusal, refuse } from './verify.js';

/** A message of Amazon SNS, as it is posted to a subscriber. */
type SnsMessage = Readonly<Record<(typeof FIELDS)[number], string>>;

const FIELDS = [
  'Type',
  'MessageId',
  'TopicArn',
  'Subject',
  'Message',
  'Timestamp',
  'SignatureVersion',
  'Signature',
  'SigningCertURL',
  'SubscribeURL',
  'Token',
] as const;

/** https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
const SIGNED_FIELDS: Readonly<Record<string, ReadonlyArray<keyof SnsMessage>>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

const ALGORITHMS: Readonly<Record<string, string>> = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' };

const RAW_DELIVERY = refuse(
  'raw_delivery',
  'Raw message delivery is on at the SNS subscription, so there is no signature. Switch it off.',
);
const NO_CERTIFICATE: Refusal = {
  ...refuse('no_certificate', 'The signing certificate of Amazon SNS could not be fetched.'),
  status: 503,
};

export function parseSnsMessage(rawBody: Buffer): SnsMessage {
  const body = parseJson(rawBody);
  // A signature covers each character, so white space at the ends counts.
  const entries = FIELDS.map((name) => [name, typeof at(body, name) === 'string' ? String(at(body, name)) : '']);
  return Object.fromEntries(entries);
}

/**
 * Believes only what one topic of Amazon SNS has signed. Anybody can create a topic whose messages are well signed, so the
 * first one that is confirmed is pinned.
 */
export async function verifySns(request: FeedbackRequest): Promise<Verification> {
  if (getHeader(request, 'x-amz-sns-rawdelivery').toLowerCase() === 'true') return RAW_DELIVERY;
  const message = parseSnsMessage(request.rawBody);
  const host = findSnsHost(message.TopicArn);
  if (host === null || !isCertificateUrl(message.SigningCertURL, host)) return FORGED;
  const { pinnedTopic } = request;
  if (pinnedTopic !== null && pinnedTopic !== message.TopicArn) return refuseTopic(message.TopicArn);
  let certificate: string | null;
  try {
    certificate = await request.fetchCertificate(message.SigningCertURL);
  } catch {
    return NO_CERTIFICATE;
  }
  return isSigned(message, certificate) ? interpret(message, host, pinnedTopic) : FORGED;
}

function refuseTopic(topic: string): Verification {
  return refuse('other_topic', `The SNS topic ${topic} is not the one that was confirmed first.`);
}

function interpret(message: SnsMessage, host: string, pinnedTopic: string | null): Verification {
  const { Type: type, TopicArn: topic, MessageId: messageId, SubscribeURL: url } = message;
  if (type === 'SubscriptionConfirmation')
    return isSubscribeUrl(message, host) ? { result: 'confirm', topic, url, messageId } : FORGED;
  if (pinnedTopic === null)
    return refuse('other_topic', `The SNS topic ${topic} was never confirmed. Subscribe it again.`);
  return type === 'UnsubscribeConfirmation' ? { result: 'unsubscribed', topic } : asEvents;
}

const TOPIC = /^arn:aws[a-z-]*:sns:([a-z]{2,4}(?:-[a-z]+)+-\d{1,2}):\d{12}:[\w-]{1,256}(?:\.fifo)?$/;

/** The host of Amazon SNS in the topic's region; null if this is no topic. */
function findSnsHost(topic: string): string | null {
  const [, region] = TOPIC.exec(topic) ?? [];
  if (region === undefined) return null;
  return `sns.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function isCertificateUrl(url: string, host: string): boolean {
  const prefix = `https://${host}/`;
  return url.startsWith(prefix) && /^SimpleNotificationService-\w{1,100}\.pem$/.test(url.slice(prefix.length));
}

/** Whether visiting the URL confirms this subscription and does nothing else. */
function isSubscribeUrl({ SubscribeURL: url, TopicArn: topic, Token: token }: SnsMessage, host: string): boolean {
  const prefix = `https://${host}/?`;
  if (!url.startsWith(prefix) || url.includes('#') || token === '') return false;
  const parameters = [...new URLSearchParams(url.slice(prefix.length))].sort();
  const expected = [
    ['Action', 'ConfirmSubscription'],
    ['Token', token],
    ['TopicArn', topic],
  ];
  return JSON.stringify(parameters) === JSON.stringify(expected);
}

function isSigned(message: SnsMessage, certificate: string | null): boolean {
  const algorithm = ALGORITHMS[message.SignatureVersion];
  const fields = Object.hasOwn(SIGNED_FIELDS, message.Type) ? SIGNED_FIELDS[message.Type] : undefined;
  const key = readPublicKey(certificate ?? '');
  if (algorithm === undefined || fields === undefined || key === null) return false;
  const named = fields.filter((name) => message[name] !== '');
  const signed = named.map((name) => `${name}\n${message[name]}\n`).join('');
  return verify(algorithm, Buffer.from(signed), key, Buffer.from(toText(message.Signature), 'base64'));
}

function readPublicKey(certificate: string): KeyObject | null {
  try {
    const { publicKey } = new X509Certificate(certificate);
    return publicKey.asymmetricKeyType === 'rsa' ? publicKey : null;
  } catch {
    return null;
  }
}

const MAX_CERTIFICATES = 32;
const CERTIFICATE_TTL_MS = 24 * 60 * 60 * 1_000;

/**
 * Keeps the last 32 certificates for a day each. Amazon SNS signs with the same one for months. Requests that come at the
 * same time share one fetch; a failed one is not kept.
 */
export function cacheCertificates(fetchCertificate: FetchCertificate, now: () => Date): FetchCertificate {
  const cached = new Map<string, { certificate: Promise<string | null>; fetchedAt: number }>();
  return async (url) => {
    const known = cached.get(url);
    if (known && now().getTime() - known.fetchedAt < CERTIFICATE_TTL_MS) return known.certificate;
    cached.delete(url);
    const [oldest] = cached.keys();
    if (oldest !== undefined && cached.size >= MAX_CERTIFICATES) cached.delete(oldest);
    const entry = { certificate: fetchCertificate(url), fetchedAt: now().getTime() };
    cached.set(url, entry);
    const forget = () => cached.get(url) === entry && cached.delete(url);
    try {
      const certificate = await entry.certificate;
      if (certificate === null) forget();
      return certificate;
    } catch (error) {
      forget();
      throw error;
    }
  };
}
