import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { deleteExpiredReports } from '@posthorn/domain/bounces';
import { readFeedbackState } from '@posthorn/domain/relays';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { reachSnsAt } from '../../apps/api/test/feedback/reach-sns.js';
import { CERTIFICATE_URL, openProviderRig, type ProviderRig, signSns, TOPIC, unknownToken } from './provider-rig.js';

const HOST = 'sns.eu-west-1.amazonaws.com';
const OTHER_TOPIC = 'arn:aws:sns:eu-west-1:444455556666:somebody-else';
const pem = (name: string) => readFileSync(join(import.meta.dirname, 'certificates', name), 'utf8');

let dns: DnsServer;
let rig: ProviderRig;
let amazon: Server;
/** The paths that were asked for. */
const visited: string[] = [];
const { createSecureContext } = tls;

beforeAll(async () => {
  // Node reads NODE_EXTRA_CA_CERTS when it starts, so this process trusts the certificate in another way.
  tls.createSecureContext = (options) => {
    const context = createSecureContext(options);
    context.context.addCACert(pem('sns.pem'));
    return context;
  };
  dns = await startDnsServer();
  dns.addresses(HOST, '127.0.0.1');
  rig = await openProviderRig({ config: { dnsServers: [dns.address], webhookAllowedNetworks: ['127.0.0.0/8'] } });
  amazon = createServer({ key: pem('sns.key'), cert: pem('sns.pem') }, (request, response) => {
    visited.push(request.url ?? '');
    if (request.url?.endsWith('.pem')) response.end(rig.certificate);
    else response.setHeader('Content-Type', 'text/xml').end('<ConfirmSubscriptionResponse/>');
  });
  await new Promise<void>((resolve) => amazon.listen(0, '127.0.0.1', resolve));
  reachSnsAt(rig.ctx, (amazon.address() as AddressInfo).port);
});

afterAll(async () => {
  tls.createSecureContext = createSecureContext;
  await rig.close();
  await dns.close();
  await new Promise((resolve) => amazon.close(resolve));
});

beforeEach(() => {
  visited.length = 0;
});

const confirmation = (topic = TOPIC, more: object = {}) => ({
  Type: 'SubscriptionConfirmation',
  MessageId: `confirm-${topic}`,
  TopicArn: topic,
  Message: 'You have chosen to subscribe.',
  Token: '2336412f37fb',
  SubscribeURL: `https://${HOST}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb`,
  ...more,
});

const notification = (message: object | string, more: object = {}) => ({
  Type: 'Notification',
  MessageId: 'n-1',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  ...more,
});

describe('Amazon SNS', () => {
  test('confirms the first topic once and believes no other', async () => {
    const relay = await rig.addRelay('ses');
    await rig.ctx.db('relays').where({ id: relay.id }).update({ feedback_topic: null });
    const email = await rig.send({ relay });
    const said = (name: string) => ({
      eventType: 'Bounce',
      mail: { messageId: email.providerId },
      bounce: {
        feedbackId: name,
        bounceType: 'Permanent',
        bounceSubType: 'NoEmail',
        bouncedRecipients: [{ emailAddress: 'jane@inbox.example' }],
      },
    });
    const post = async (message: object, algorithm?: string) =>
      (await rig.postRaw(relay, signSns(message as Record<string, unknown>, algorithm))).status;
    const refusal = async () => (await readFeedbackState(rig.ctx.db, relay.id)).lastRefusal;

    const elsewhere = { SigningCertURL: 'https://files.attacker.test/SimpleNotificationService-0f3a.pem' };
    expect(await post(confirmation(TOPIC, elsewhere))).toBe(401);
    expect(
      await post(confirmation(TOPIC, { SubscribeURL: 'http://169.254.169.254/?Action=ConfirmSubscription' })),
    ).toBe(401);
    expect(visited.filter((path) => !path.endsWith('.pem'))).toEqual([]);

    expect(await post(confirmation())).toBe(200);
    expect(await post(confirmation())).toBe(200);
    expect(visited.filter((path) => path.startsWith('/?Action=ConfirmSubscription'))).toHaveLength(1);
    // Another test may have fetched it before.
    expect(visited.filter((path) => path.endsWith('.pem')).length).toBeLessThan(2);

    visited.length = 0;
    expect(await post(confirmation(OTHER_TOPIC))).toBe(401);
    expect(await refusal()).toContain(OTHER_TOPIC);
    expect(await post(notification(said('f-0'), { TopicArn: OTHER_TOPIC }))).toBe(401);
    expect(visited).toEqual([]);
    await rig.processed();
    expect((await rig.read(email)).status).toBe('sent');

    expect(await post(notification(said('f-1')))).toBe(200);
    expect(await post(notification(said('f-1')))).toBe(200);
    expect(await post(notification(said('f-2'), { SignatureVersion: '2' }))).toBe(200);
    expect(await post(notification(said('f-3'), { SignatureVersion: '2' }), 'RSA-SHA1')).toBe(401);
    const changed = signSns(notification(said('f-4')));
    const tampered = { ...changed, body: changed.body.replace('f-4', 'f-5') };
    expect((await rig.postRaw(relay, tampered)).status).toBe(401);
    await rig.processed();
    const state = await rig.read(email);
    expect(state.status).toBe('bounced');
    expect(state.events.filter((line) => line.startsWith('bounced'))).toHaveLength(1);

    expect(await post({ ...confirmation(), Type: 'UnsubscribeConfirmation', MessageId: 'u-1' })).toBe(200);
    expect(await refusal()).toMatch(/was unsubscribed/);
    const raw = {
      body: JSON.stringify(said('f-6')),
      headers: { 'Content-Type': 'text/plain', 'x-amz-sns-rawdelivery': 'true' },
    };
    expect((await rig.postRaw(relay, raw)).status).toBe(401);
    expect(await refusal()).toMatch(/^Raw message delivery is on .* Switch it off\.$/);
    expect(visited).toEqual([]);
  });

  test('is asked to try again while its certificate cannot be fetched', async () => {
    const relay = await rig.addRelay('ses');
    const [topic, url] = [TOPIC, CERTIFICATE_URL].map((text) => text.replace('eu-west-1', 'us-east-1'));
    await rig.ctx.db('relays').where({ id: relay.id }).update({ feedback_topic: topic });
    dns.fail('sns.us-east-1.amazonaws.com', 'SERVFAIL');
    const message = notification('{}', { TopicArn: topic, SigningCertURL: url });
    expect((await rig.postRaw(relay, signSns(message))).status).toBe(503);
    expect((await readFeedbackState(rig.ctx.db, relay.id)).lastRefusal).toMatch(/certificate .* could not be fetched/);
  });

  test('gets 200 for a notice that is no JSON, as text', async () => {
    const { status } = await rig.postRaw(rig.relay('ses'), signSns(notification('Successfully validated SNS topic')));
    expect(status).toBe(200);
  });
});

describe('what a provider is answered', () => {
  test.each([unknownToken(), { feedbackToken: 'short' }])('404 for an unknown token', async (relay) => {
    const { status, body } = await rig.postRaw(relay, { body: '{}', headers: {} });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  test('401 with a challenge for a wrong login', async () => {
    const relay = rig.relay('postmark');
    const headers = { Authorization: `Basic ${Buffer.from('provider:wrong').toString('base64')}` };
    const response = await rig.postRaw(relay, { body: '{}', headers });
    expect(response.status).toBe(401);
    expect(response.get('WWW-Authenticate')).toMatch(/^Basic realm=/);
    expect(response.text).toBe(`${(await readFeedbackState(rig.ctx.db, relay.id)).lastRefusal}\n`);
  });

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])(
    '200 for a verified body of the type %s, whatever is in it',
    async (type) => {
      const headers = {
        Authorization: `Basic ${Buffer.from('provider:correct horse').toString('base64')}`,
        'Content-Type': type,
      };
      for (const body of ['', 'no JSON', '{"RecordType":7}', '[[[]]]'])
        expect(await rig.postRaw(rig.relay('postmark'), { body, headers })).toMatchObject({
          status: 200,
          text: 'OK\n',
        });
    },
  );

  test('200 for a compressed body, and 413 for one that becomes too large', async () => {
    const relay = rig.relay('postmark');
    const send = (bytes: Buffer) =>
      fetch(`${rig.url}/feedback/${relay.feedbackToken}`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from('provider:correct horse').toString('base64')}`,
          'Content-Encoding': 'gzip',
        },
        body: new Uint8Array(bytes),
      });
    expect((await send(gzipSync('{}'))).status).toBe(200);
    expect((await send(gzipSync(Buffer.alloc(11 * 1_024 * 1_024, ' ')))).status).toBe(413);
  });

  test('406 for a token of Mailgun that comes with another body', async () => {
    const relay = rig.relay('mailgun');
    const email = await rig.send({ relay });
    const about = { 'user-variables': { posthorn_id: email.key }, recipient: 'jane@inbox.example' };
    const body = JSON.stringify({ 'event-data': { event: 'opened', id: 'o-1', ...about } });
    const first = await rig.sign(relay, body);
    expect((await rig.postRaw(relay, first)).status).toBe(200);
    expect((await rig.postRaw(relay, first)).status).toBe(200);
    const forged = JSON.parse(first.body);
    forged['event-data'] = { ...forged['event-data'], event: 'complained', id: 'c-1' };
    expect((await rig.postRaw(relay, { ...first, body: JSON.stringify(forged) })).status).toBe(406);
    await rig.processed();
    expect((await rig.read(email)).status).toBe('sent');
    const tokens = () => rig.ctx.db('feedback_tokens').where({ relay_id: relay.id });
    await deleteExpiredReports(rig.ctx, () => true);
    expect(await tokens()).toHaveLength(1);
    await tokens().update({ expires_at: new Date() });
    await deleteExpiredReports(rig.ctx, () => true);
    expect(await tokens()).toEqual([]);
  });
});

test('metrics count requests and events by kind of provider', async () => {
  await rig.post(rig.relay('sendgrid'), JSON.stringify([{ event: 'open' }, { event: 'delivered' }]));
  const { text } = { text: await rig.ctx.metrics.registry.metrics() };
  expect(text).toContain('posthorn_feedback_requests_total{feedback="sendgrid",result="events"');
  expect(text).toContain('posthorn_feedback_events_total{feedback="sendgrid",event="ignored"');
  expect(text).toContain('posthorn_feedback_events_total{feedback="sendgrid",event="delivered"');
});
