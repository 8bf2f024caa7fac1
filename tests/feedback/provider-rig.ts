import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type FeedbackKind, feedbackKinds } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { type Outcome, recordOutcomes, selectDueEmails } from '@posthorn/domain/delivery';
import { buildFeedbackKey, findEmail } from '@posthorn/domain/emails';
import { addRelay, type Relay } from '@posthorn/domain/relays';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { createToken } from '@posthorn/platform/secrets';
import { type TestContextOptions, until } from '@posthorn/testing';
import request from 'supertest';
import { openTestApi, type TestApi, type TestTenant } from '../../apps/api/test/open-test-api.js';
import { openTestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { createCertificate, createRsaKeys } from '../../packages/feedback/test/providers/certificate.js';

const LOGIN = 'provider:correct horse';
const SIGNING_KEY = 'key-0123456789abcdef';
const SVIX_KEY = randomBytes(24);
const sendGridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const snsKeys = createRsaKeys();
const snsCertificate = createCertificate(snsKeys);

const secrets: Readonly<Record<FeedbackKind, string | undefined>> = {
  ses: undefined,
  sendgrid: sendGridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  mailgun: SIGNING_KEY,
  resend: `whsec_${SVIX_KEY.toString('base64')}`,
  postmark: LOGIN,
  brevo: LOGIN,
  mailjet: LOGIN,
  sparkpost: LOGIN,
};

type Signed = { readonly body: string; readonly headers: Readonly<Record<string, string>> };
type Json = Record<string, unknown>;

const basic = (body: string): Signed => ({
  body,
  headers: { Authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}`, 'Content-Type': 'application/json' },
});

/** Signs a body as the provider does, now. */
const signers: Readonly<Record<FeedbackKind, (body: string, seconds: string) => Signed>> = {
  ses: (body) => signSns(JSON.parse(body)),
  sendgrid: (body, timestamp) => ({
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
      'X-Twilio-Email-Event-Webhook-Signature': sign(
        'sha256',
        Buffer.from(timestamp + body),
        sendGridKeys.privateKey,
      ).toString('base64'),
    },
  }),
  mailgun: (body, timestamp) => {
    const token = randomBytes(25).toString('hex');
    const signature = createHmac('sha256', SIGNING_KEY)
      .update(timestamp + token)
      .digest('hex');
    const signed = { ...JSON.parse(body), signature: { timestamp, token, signature } };
    return { body: JSON.stringify(signed), headers: { 'Content-Type': 'application/json' } };
  },
  resend: (body, timestamp) => ({
    body,
    headers: {
      'Content-Type': 'application/json',
      'svix-id': 'msg_1',
      'svix-timestamp': timestamp,
      'svix-signature': `v1,${createHmac('sha256', SVIX_KEY).update(`msg_1.${timestamp}.${body}`).digest('base64')}`,
    },
  }),
  postmark: basic,
  brevo: basic,
  mailjet: basic,
  sparkpost: basic,
};

const SNS_FIELDS = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
export const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0f3a5b7c.pem';
export const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:mail-feedback';

/** @param algorithm by default, that of the version in the message */
export function signSns(message: Json, algorithm?: string): Signed {
  const whole: Json = {
    TopicArn: TOPIC,
    Timestamp: '2026-11-28T09:00:10.000Z',
    SignatureVersion: '1',
    SigningCertURL: CERTIFICATE_URL,
    ...message,
  };
  const named = SNS_FIELDS.filter((name) => typeof whole[name] === 'string');
  const signed = named.map((name) => `${name}\n${whole[name]}\n`).join('');
  const used = algorithm ?? (whole.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1');
  const Signature = sign(used, Buffer.from(signed), snsKeys.privateKey).toString('base64');
  return { body: JSON.stringify({ ...whole, Signature }), headers: { 'Content-Type': 'text/plain; charset=UTF-8' } };
}

/** An email whose recipients a relay has taken. */
export type SentEmail = {
  readonly id: string;
  readonly tenant: TestTenant;
  readonly to: readonly string[];
  readonly providerId: string;
  /** The key in the header of the first recipient's message. */
  readonly key: string;
};

type SendOptions = {
  readonly to?: readonly string[];
  readonly tenant?: TestTenant;
  readonly relay: Relay;
  readonly topic?: string;
  /** How the attempt ended; by default the relay took the message. */
  readonly ended?: Partial<Outcome>;
};

export type ProviderRig = Awaited<ReturnType<typeof openProviderRig>>;

/** An API, what processes events, and a relay of each provider. */
export async function openProviderRig(options: TestContextOptions = {}) {
  const t = await openTestApi({ ...options, ownDatabase: 'it claims the due emails of all workspaces' });
  const inbound = await openTestInbound(t.ctx);
  const relays = new Map<FeedbackKind, Relay>();
  for (const kind of feedbackKinds) relays.set(kind, await addFeedbackRelay(t, kind));
  Object.assign(t.ctx.feedback, { fetchCertificate: async () => snsCertificate });
  return {
    ...t,
    inbound,
    certificate: snsCertificate,
    relay: (kind: FeedbackKind) => relays.get(kind) as Relay,
    addRelay: (kind: FeedbackKind, name?: string) => addFeedbackRelay(t, kind, name),
    accept: (to: readonly string[], tenant: TestTenant, topic?: string) => accept(t, tenant, to, topic),
    send: (sending: SendOptions) => send(t, sending),
    record: (id: string, ended: Partial<Outcome>) => record(t, id, ended),
    sign: (relay: Relay, body: string) => signAsProvider(relay, body, 0),
    post: (relay: Relay, body: string, secondsAgo = 0) => post(t, relay, body, secondsAgo),
    postRaw: (relay: Pick<Relay, 'feedbackToken'>, signed: Signed) => postRaw(t, relay, signed),
    processed: () => waitUntilProcessed(t),
    read: (email: Pick<SentEmail, 'id' | 'tenant'>) => readState(t, email),
    async close() {
      await inbound.close();
      await t.close();
    },
  };
}

let added = 0;

async function addFeedbackRelay({ ctx }: TestApi, feedback: FeedbackKind, name = `${feedback}-${++added}`) {
  const feedbackSecret = secrets[feedback];
  const change = { name, url: 'smtp://127.0.0.1:2525', feedback, ...(feedbackSecret && { feedbackSecret }) };
  const relay = await addRelay(ctx, operator, change);
  if (feedback === 'ses') await ctx.db('relays').where({ id: relay.id }).update({ feedback_topic: TOPIC });
  return relay;
}

async function accept({ api }: TestApi, { auth }: TestTenant, to: readonly string[], topic?: string): Promise<string> {
  const body = { to, subject: 'Your invoice', text: 'Hello', ...(topic && { unsubscribe: { topic } }) };
  return (await api.post('/api/v1/emails').set(auth).send(body).expect(202)).body.id;
}

async function send(t: TestApi, { to = ['jane@inbox.example'], topic, relay, ...options }: SendOptions) {
  const tenant = options.tenant ?? (await t.otherTenant());
  const id = await accept(t, tenant, to, topic);
  const providerId = `pid-${randomBytes(8).toString('hex')}`;
  const recipientResults = to.map((address, position) => ({
    position,
    address,
    status: 'sent' as const,
    smtpCode: 250,
    smtpResponse: '250 Ok',
    relayId: relay.id,
    providerId,
  }));
  await record(t, id, { recipientResults, ...options.ended });
  return { id, tenant, to, providerId, key: buildFeedbackKey({ emailId: id, position: 0 }) } satisfies SentEmail;
}

/** Claims the email and writes how the attempt ended, as a worker does. */
async function record({ ctx }: TestApi, id: string, ended: Partial<Outcome>): Promise<void> {
  const claimed = await selectDueEmails(ctx.db, { limit: 100, holders: [], onlyOthers: false }, 60).claimMany();
  const email = claimed.find((each) => each.id === id);
  if (!email) throw new Error(`The email ${id} is not due`);
  const sent = { status: 'sent', outcome: 'sent', phase: 'reply', retryInSeconds: null, charged: false } as const;
  const outcome = { route: 'relay', conversation: [], event: null, recipientResults: [], ...sent, ...ended };
  await recordOutcomes(ctx.db, [{ ...email, ...outcome } as unknown as Outcome]);
}

function signAsProvider({ feedback }: Relay, body: string, secondsAgo: number): Signed {
  return signers[feedback as FeedbackKind](body, String(Math.floor(Date.now() / 1_000) - secondsAgo));
}

async function post(t: TestApi, relay: Relay, body: string, secondsAgo: number) {
  return postRaw(t, relay, signAsProvider(relay, body, secondsAgo));
}

async function postRaw({ url }: TestApi, { feedbackToken }: Pick<Relay, 'feedbackToken'>, { body, headers }: Signed) {
  return request(url).post(`/feedback/${feedbackToken}`).set(headers).send(body);
}

/** Waits until each event has been looked at. Those that wait for our own record have a kind by then. */
async function waitUntilProcessed({ ctx }: TestApi): Promise<void> {
  const due = ctx.db('feedback_reports').whereNotNull('due_at').whereNull('kind');
  await until(async () => (await due.clone()).length === 0);
}

/** What recipients, suppressions and events say after that. */
async function readState({ ctx }: TestApi, { id, tenant }: Pick<SentEmail, 'id' | 'tenant'>) {
  const email = await findEmail(ctx.db, tenant.workspace.id, id, { withContent: true });
  if (!email) throw new Error(`There is no email ${id}`);
  const all = { limit: 100, after: null, before: null };
  const suppressions = (await listSuppressions(ctx.db, tenant.workspace.id, {}, all)).rows;
  return {
    email,
    status: email.status,
    recipients: Object.fromEntries(
      email.recipients.map(({ address, status, bounceClass }) => [
        address,
        [status, bounceClass].filter(Boolean).join(' '),
      ]),
    ),
    suppressed: suppressions
      .map(({ address, reason, topic }) => [address, reason, topic].filter(Boolean).join(' '))
      .toSorted(),
    events: email.events.map(({ type, recipient }) => `${type} ${recipient ?? ''}`.trim()),
  };
}

export const unknownToken = () => ({ feedbackToken: createToken() });
