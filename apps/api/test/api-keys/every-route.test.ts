import { type OperationId, type Scope, scopes } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { newId } from '@posthorn/platform/values';
import { routes } from '../../src/app.js';
import type { Route } from '../../src/routing/route.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

/**
 * What a key that is restricted to domains gets from each route that keys can call:
 * - own: only what belongs to its domains
 * - refused: a 403, because the route is about all domains
 * - shared: what every key can read, because it belongs to no domain
 */
const expected: Readonly<Partial<Record<OperationId, 'own' | 'refused' | 'shared'>>> = {
  sendEmail: 'own',
  sendBatch: 'own',
  checkEmail: 'own',
  listEmails: 'own',
  getEmailStats: 'own',
  getEmail: 'own',
  getMessage: 'own',
  rescheduleEmail: 'own',
  cancelEmail: 'own',
  listAttempts: 'own',
  listEmailEvents: 'own',
  listEvents: 'own',
  listDomains: 'own',
  getDomain: 'own',
  updateDomain: 'own',
  verifyDomain: 'own',
  rotateDomainKey: 'own',
  deleteDomain: 'own',
  createDomain: 'refused',
  getDeliverability: 'refused',
  listBounces: 'refused',
  createSuppression: 'refused',
  listSuppressions: 'refused',
  getSuppression: 'refused',
  deleteSuppression: 'refused',
  importSuppressions: 'refused',
  createTemplate: 'refused',
  updateTemplate: 'refused',
  deleteTemplate: 'refused',
  duplicateTemplate: 'refused',
  restoreTemplateVersion: 'refused',
  testWebhook: 'refused',
  listWebhookDeliveries: 'refused',
  replayWebhook: 'refused',
  createWebhook: 'refused',
  listWebhooks: 'refused',
  getWebhook: 'refused',
  updateWebhook: 'refused',
  deleteWebhook: 'refused',
  rotateWebhookSecret: 'refused',
  listTemplates: 'shared',
  getTemplate: 'shared',
  listTemplateVersions: 'shared',
  getTemplateVersion: 'shared',
  previewTemplate: 'shared',
  previewTexts: 'shared',
  getWorkspace: 'shared',
};

const isForKeys = ({ access }: Route) => access === 'any' || typeof access === 'object';

let t: TestApi;
let own: { id: string };
let other: { id: string };
let restricted: { Authorization: string };
let ids: { own: string; other: string; platform: string };

beforeAll(async () => {
  t = await openTestApi({ ownDatabase: 'it verifies domains with fixed names' });
  own = await verified('own.example');
  other = await verified('other.example');
  const session = await t.login();
  const fields = { name: 'CI', scopes: scopes as readonly Scope[], domain_ids: [own.id] };
  const { body } = await t.api.post('/api/v1/api-keys').set(session).send(fields).expect(201);
  restricted = { Authorization: `Bearer ${body.key}` };
  ids = {
    own: await accept('hi@own.example'),
    other: await accept('hi@other.example'),
    platform: await accept(undefined),
  };
});

afterAll(() => t.close());

async function verified(name: string) {
  const domain = await createDomain(t.ctx, operator, t.workspace.id, name);
  await markDomainVerified(t.ctx, domain.id);
  return domain;
}

async function accept(from_: string | undefined): Promise<string> {
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const email = { to: ['jane@example.com'], from_, subject: 'For jane', text: 'Hello', scheduled_at };
  return (await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202)).body.id;
}

const call = (method: Route['method'], path: string, auth = restricted) => t.api[method](path).set(auth);

describe('a key that is restricted to domains', () => {
  test('has an entry here for every route that keys can call', () => {
    expect(Object.keys(expected).sort()).toEqual(
      routes
        .filter(isForKeys)
        .map(({ operationId }) => operationId)
        .sort(),
    );
  });

  test.each(routes.filter(isForKeys))('gets what the table says from $operationId', async (route) => {
    const path = route.path.replace(':id', newId()).replace(':version', '1');
    const { status, body } = await call(route.method, path);
    const isRefused = status === 403 && body.code === 'domain_not_allowed';
    expect([route.operationId, isRefused]).toEqual([route.operationId, expected[route.operationId] === 'refused']);
    if (isRefused) expect(body.detail).toContain('Use a key without domain_ids');
  });

  test.each([
    ['get', ''],
    ['get', '/message'],
    ['get', '/attempts'],
    ['get', '/events'],
    ['post', '/cancel'],
  ] as const)('finds only emails from its domains: %s /emails/{id}%s', async (method, rest) => {
    const statusOf = async (id: string) => (await call(method, `/api/v1/emails/${id}${rest}`)).status;
    expect([await statusOf(ids.other), await statusOf(ids.platform)]).toEqual([404, 404]);
    // Keys never read the messages of live mail.
    expect(await statusOf(await accept('hi@own.example'))).toBe(rest === '/message' ? 403 : 200);
  });

  test('moves only emails from its domains', async () => {
    const scheduled_at = new Date(Date.now() + 7_200_000).toISOString();
    const move = async (id: string) => (await call('patch', `/api/v1/emails/${id}`).send({ scheduled_at })).status;
    expect([await move(ids.own), await move(ids.other), await move(ids.platform)]).toEqual([200, 404, 404]);
    const unchanged = (await t.api.get(`/api/v1/emails/${ids.other}`).set(t.auth).expect(200)).body;
    expect([unchanged.status, unchanged.scheduled_at < scheduled_at]).toEqual(['scheduled', true]);
  });

  test.each(['', '?q=jane', '?q=For jane', '?to=jane@example.com', '?status=scheduled', '?format=csv'])(
    'lists only emails from its domains: GET /emails%s',
    async (query) => {
      const { text } = await call('get', `/api/v1/emails${query}`).expect(200);
      expect([ids.own, ids.other, ids.platform].map((id) => text.includes(id))).toEqual([true, false, false]);
    },
  );

  test('finds no email of another domain by its Message-ID', async () => {
    const { body } = await call('get', `/api/v1/emails?message_id=${ids.other}`).expect(200);
    expect(body.data).toEqual([]);
  });

  test('counts only emails from its domains', async () => {
    const all = (await t.api.get('/api/v1/emails/stats').set(t.auth).expect(200)).body;
    const { body } = await call('get', '/api/v1/emails/stats').expect(200);
    expect(all.emails - body.emails).toBe(2);
    expect(body.emails).toBeGreaterThan(0);
  });

  test('follows only events of its domains and of emails from them', async () => {
    const { body } = await call('get', '/api/v1/events?limit=100').expect(200);
    const seen = new Set(
      body.data.map(({ data }: { data: Record<string, string> }) => data.email_id ?? data.domain_id),
    );
    expect([seen.has(ids.own), seen.has(ids.other), seen.has(ids.platform)]).toEqual([true, false, false]);
    expect([seen.has(own.id), seen.has(other.id)]).toEqual([true, false]);
  });

  test('sees and changes only its domains', async () => {
    const { body } = await call('get', '/api/v1/domains').expect(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const path = `/api/v1/domains/${other.id}`;
    const statuses = await Promise.all([
      call('get', path),
      call('patch', path).send({ track_opens: true }),
      call('post', `${path}/verify`),
      call('post', `${path}/rotate-key`),
      call('delete', path),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    await call('get', `/api/v1/domains/${own.id}`).expect(200);
  });
});
