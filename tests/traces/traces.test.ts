import { closeTestContext, openTestContext, untilWaiting } from '@posthorn/testing';
import type { ReceiverServer } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { startProcess } from '../processes.js';
import { openWebhookStack, type WebhookStack } from '../webhooks/open-webhook-stack.js';
import type { Tenant } from '../webhooks/tenant.js';
import type { ReceivedSpan } from './read-spans.js';
import { type Collector, startCollector } from './start-collector.js';

const CANARY = 'canary9e2b';
const CLIENT_SPAN = '00f067aa0ba902b7';

let collector: Collector;
let stack: WebhookStack;
let tenant: Tenant;

/** @returns the id of the email */
async function send(traceparent?: string): Promise<string> {
  const response = await fetch(`${stack.api.url}/api/v1/emails`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${tenant.key}`,
      'Content-Type': 'application/json',
      ...(traceparent && { traceparent }),
    },
    body: JSON.stringify({ to: [`${CANARY}@example.com`], subject: CANARY, text: CANARY }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

const inTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
const named = (name: string, spans: readonly ReceivedSpan[]) => spans.filter((span) => span.name === name);

/** Sends emails while Postgres cannot commit any, so that those after the first have to share a commit. */
async function holdingUpCommits(sendAll: () => Array<Promise<string>>): Promise<void> {
  const lock = await stack.ctx.db.transaction();
  await lock.raw('lock table emails in share mode');
  const sending = sendAll();
  await untilWaiting(stack.ctx.db, 'Lock');
  // The API has read the other requests before it responds to a later one.
  expect((await fetch(`${stack.api.url}/readyz`)).status).toBe(200);
  await lock.commit();
  await Promise.all(sending);
}

/** The spans of an email that is sent over a new connection and announced to a webhook. */
const STEPS = [
  'POST /api/v1/emails',
  'commit emails',
  'claim emails',
  'process deliveries',
  'deliver email',
  'smtp connect',
  'smtp tls',
  'smtp mail',
  'smtp data',
  'record outcome',
  'POST',
];

describe('with a collector', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  let id: string;
  let receiver: ReceiverServer;

  /** Sends the first email, the only one over a new connection. */
  beforeAll(async () => {
    collector = await startCollector();
    stack = await openWebhookStack({
      sink: { tls: true },
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3%2Ccret',
        // Only clients decide what is traced
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0',
        // The delivery job is faster than the sweep
        SWEEP_INTERVAL_MS: '5000',
      },
    });
    tenant = await stack.openTenant();
    receiver = await stack.openReceiver();
    await tenant.addWebhook(receiver.url, { events: ['email.sent'] });
    id = await send(`00-${traceId}-${CLIENT_SPAN}-01`);
    await receiver.untilReceived(1);
    // Processes export their spans in batches, each at its own time.
    await collector.until(() => STEPS.every((name) => named(name, inTrace(traceId)).length > 0));
  });

  afterAll(async () => {
    await stack.close();
    await collector.close();
  });

  test('one trace continues that of the client, from the request over SMTP to the webhook', () => {
    const spans = inTrace(traceId);
    const only = (name: string) => {
      expect(named(name, spans)).toHaveLength(1);
      return named(name, spans)[0] as ReceivedSpan;
    };
    const request = only('POST /api/v1/emails');
    expect(request).toMatchObject({
      service: 'posthorn-api',
      parentId: CLIENT_SPAN,
      attributes: { 'http.route': '/api/v1/emails', 'http.response.status_code': 202 },
    });
    expect(only('commit emails')).toMatchObject({ service: 'posthorn-api', parentId: request.spanId });
    for (const name of ['claim emails', 'process deliveries', 'deliver email', 'POST'])
      expect(only(name)).toMatchObject({ service: 'posthorn-worker', parentId: request.spanId });
    const attempt = only('deliver email');
    expect(attempt.attributes).toMatchObject({
      'messaging.message.id': id,
      'posthorn.request.id': request.attributes['posthorn.request.id'],
      'posthorn.outcome': 'sent',
    });
    for (const name of ['smtp connect', 'smtp mail', 'smtp data', 'record outcome'])
      expect(only(name).parentId).toBe(attempt.spanId);
    expect(only('smtp tls').parentId).toBe(only('smtp connect').spanId);
    expect(only('smtp data').attributes).toMatchObject({
      'network.peer.address': '127.0.0.1',
      'tls.established': true,
    });
    expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
    expect(receiver.requests[0]?.headers.traceparent).toBe(`00-${traceId}-${only('POST').spanId}-01`);
    expect(collector.headers()['api-key']).toBe('s3,cret');
  });

  test('a group links to every traced email in it', async () => {
    const traceIds = Array.from({ length: 10 }, (_, index) => `5bf92f3577b34da6a3ce929d0e0e47${10 + index}`);
    await holdingUpCommits(() => traceIds.map((traceId) => send(`00-${traceId}-${CLIENT_SPAN}-01`)));
    const requests = () => traceIds.flatMap((traceId) => named('POST /api/v1/emails', inTrace(traceId)));
    await collector.until(
      () =>
        requests().length === 10 && traceIds.every((traceId) => named('deliver email', inTrace(traceId)).length === 1),
    );
    const commits = traceIds.flatMap((traceId) => named('commit emails', inTrace(traceId)));
    const covered = commits.flatMap(({ links, parentId }) => (links.length > 0 ? links : [parentId]));
    expect(commits.some(({ links }) => links.length > 1)).toBe(true);
    expect(covered.sort()).toEqual(
      requests()
        .map(({ spanId }) => spanId)
        .sort(),
    );
  });

  test('an email whose client does not record its trace is not traced, but its trace is in the log', async () => {
    const notRecorded = '6bf92f3577b34da6a3ce929d0e0e4736';
    const before = stack.sink.messages.length;
    const untraced = await send(`00-${notRecorded}-${CLIENT_SPAN}-00`);
    const alone = await send();
    await stack.sink.waitFor(before + 2);
    // What was recorded before this trace has then been sent too
    await send(`00-7bf92f3577b34da6a3ce929d0e0e4736-${CLIENT_SPAN}-01`);
    await collector.until((spans) =>
      spans.some((span) => span.name === 'deliver email' && span.traceId.startsWith('7')),
    );
    expect(inTrace(notRecorded)).toEqual([]);
    const traced = named('deliver email', collector.spans).map(({ attributes }) => attributes['messaging.message.id']);
    expect(traced).not.toContain(untraced);
    expect(traced).not.toContain(alone);
    const line = stack.worker.lines.find((text) => text.includes('attempt_ended') && text.includes(untraced));
    expect(line).toContain(`"traceId":"${notRecorded}"`);
  });

  test('no span contains an address, a subject, a body or a key', () => {
    expect(collector.text()).toContain('posthorn.workspace.id');
    for (const secret of [CANARY, 'jane@', tenant.key, '/hook']) expect(collector.text()).not.toContain(secret);
  });
});

describe('without OTEL_TRACES_SAMPLER', () => {
  beforeEach(async () => {
    collector = await startCollector();
  });

  afterEach(async () => {
    await stack.close();
    await collector.close();
  });

  test('a client does not decide that its requests are traced', async () => {
    stack = await openWebhookStack({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' },
    });
    tenant = await stack.openTenant();
    const traceId = '8bf92f3577b34da6a3ce929d0e0e4736';
    const id = await send(`00-${traceId}-${CLIENT_SPAN}-01`);
    await stack.sink.waitFor(1);
    await stack.worker.stop();
    await stack.api.stop();
    expect(collector.spans).toEqual([]);
    const line = stack.worker.lines.find((text) => text.includes('attempt_ended') && text.includes(id));
    expect(line).toContain(`"traceId":"${traceId}"`);
  });

  test('a trace continues that of the client, and a request without a credential is not traced', async () => {
    stack = await openWebhookStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    tenant = await stack.openTenant();
    const strangers = '9bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${strangers}-${CLIENT_SPAN}-01`, Authorization: 'Bearer ph_live_wrong' };
    for (const path of ['/api/v1/emails', '/metrics', '/healthz'])
      await fetch(`${stack.api.url}${path}`, { headers }).then((response) => response.text());
    const traceId = 'abf92f3577b34da6a3ce929d0e0e4736';
    await send(`00-${traceId}-${CLIENT_SPAN}-00`);
    await collector.until(() => named('POST /api/v1/emails', inTrace(traceId)).length > 0);
    expect(named('POST /api/v1/emails', inTrace(traceId))).toMatchObject([{ parentId: CLIENT_SPAN }]);
    expect(inTrace(strangers)).toEqual([]);
    expect(named('GET /metrics', collector.spans)).toEqual([]);
  });
});

test.each([
  ['down', () => Promise.resolve({ url: 'http://127.0.0.1:1', close: async () => {} })],
  ['slow', () => startCollector({ answers: false })],
])('mail flows and processes stop cleanly while the collector is %s', async (_, start) => {
  const silent = await start();
  stack = await openWebhookStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: silent.url } });
  tenant = await stack.openTenant();
  for (let sent = 0; sent < 5; sent += 1) await send();
  await stack.sink.waitFor(5);
  expect(await Promise.all([stack.api.stop(), stack.worker.stop()])).toEqual([0, 0]);
  for (const { lines } of [stack.api, stack.worker]) expect(lines.join()).not.toContain('unhandled_rejection');
  await stack.close();
  await silent.close();
});

test('a process says which packages are missing, if tracing is on but OpenTelemetry is not installed', async () => {
  const ctx = await openTestContext();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', NODE_OPTIONS: `--import=${WITHOUT_OPENTELEMETRY}` };
  await expect(startProcess('api', ctx, env)).rejects.toThrow('the packages of OpenTelemetry are not installed');
  await closeTestContext(ctx);
});

/** Makes Node resolve no package of OpenTelemetry, as if they were not installed. */
const WITHOUT_OPENTELEMETRY = asModule(`
  import { register } from 'node:module';
  register('${asModule(`
    export async function resolve(specifier, context, next) {
      if (!specifier.startsWith('@opentelemetry/')) return next(specifier, context);
      throw Object.assign(new Error('Cannot find ' + specifier), { code: 'ERR_MODULE_NOT_FOUND' });
    }`)}');`);

function asModule(source: string): string {
  return `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
}
