import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { countInProcess } from '@posthorn/domain/throttles';
import { credentialFailures } from '../../src/request-steps/authenticate.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const to = ['jane@example.com'];
const email = { to, subject: 'Hi', text: 'Hello' };

describe('restricted API keys', () => {
  let t: TestApi;
  let session: { Cookie: string };
  let own: { id: string };
  let other: { id: string };
  beforeAll(async () => {
    t = await openTestApi({ config: { trustedProxyHops: 1 }, ownDatabase: 'it verifies domains with fixed names' });
    session = await t.login();
    own = await verified('own.example');
    other = await verified('other.example');
  });
  afterAll(() => t.close());

  async function verified(name: string) {
    const domain = await createDomain(t.ctx, operator, t.workspace.id, name);
    await markDomainVerified(t.ctx, domain.id);
    return domain;
  }

  async function createKey(fields: object) {
    const { body } = await t.api
      .post('/api/v1/api-keys')
      .set(session)
      .send({ name: 'CI', scopes: ['emails:send'], ...fields })
      .expect(201);
    return { ...body, auth: { Authorization: `Bearer ${body.key}` } };
  }

  describe('domain_ids', () => {
    test.each(['live', 'test'])('a %s key sends only from its domains', async (mode) => {
      const key = await createKey({ mode, domain_ids: [own.id] });
      expect(key.domain_ids).toEqual([own.id]);
      const send = (path: string, body: object) => t.api.post(`/api/v1/emails${path}`).set(key.auth).send(body);
      await send('', { ...email, from_: 'hi@own.example' }).expect(202);
      await send('', { ...email, from_: 'hi@own.example', domain_id: own.id }).expect(202);
      await send('/check', { ...email, from_: 'hi@own.example' }).expect(200);
      for (const body of [email, { ...email, from_: 'hi@other.example' }])
        for (const path of ['', '/check']) {
          const { status, body: problem } = await send(path, body);
          expect([status, problem.code]).toEqual([403, 'domain_not_allowed']);
        }
      const { status, body: problem } = await send('', { ...email, from_: 'hi@other.example', domain_id: other.id });
      expect([status, problem.detail]).toEqual([403, expect.stringContaining('cannot send from other.example')]);
    });

    test('one email from another domain makes a batch fail, and nothing of it is stored', async () => {
      const key = await createKey({ domain_ids: [own.id] });
      const subject = 'All or nothing';
      const { status, body } = await t.api
        .post('/api/v1/emails/batch')
        .set(key.auth)
        .send([
          { ...email, subject, from_: 'hi@own.example' },
          { ...email, subject },
        ]);
      expect([status, body.code]).toEqual([403, 'domain_not_allowed']);
      expect(await t.ctx.db('emails').where({ workspace_id: t.workspace.id, subject })).toEqual([]);
    });

    test('a domain of another workspace cannot be named', async () => {
      const { workspace } = await t.otherTenant();
      const foreign = await createDomain(t.ctx, operator, workspace.id, 'foreign.example');
      const { status, body } = await t.api
        .post('/api/v1/api-keys')
        .set(session)
        .send({ name: 'CI', scopes: ['emails:send'], domain_ids: [foreign.id] });
      expect([status, body.errors[0].field]).toEqual([422, 'domain_ids[0]']);
    });
  });

  describe('networks', () => {
    test('a key works only from its networks, which are shown with their prefix lengths', async () => {
      const key = await createKey({ networks: ['192.0.2.7', '10.1.0.0/16', '2001:db8::/32'] });
      expect(key.networks).toEqual(['192.0.2.7/32', '10.1.0.0/16', '2001:db8::/32']);
      const statusFrom = async (address: string) =>
        (await t.api.get('/api/v1/templates').set(key.auth).set('X-Forwarded-For', address)).status;
      const inside = ['192.0.2.7', '10.1.255.1', '::ffff:10.1.2.3', '2001:db8:1::5'];
      const outside = ['192.0.2.8', '10.2.0.1', '2001:db9::1', 'unknown'];
      expect(await Promise.all(inside.map(statusFrom))).toEqual([200, 200, 200, 200]);
      expect(await Promise.all(outside.map(statusFrom))).toEqual([403, 403, 403, 403]);
    });

    test('the refusal names the address, and counts against its limit instead of that of the key', async () => {
      const key = await createKey({ networks: ['192.0.2.7'] });
      const from = (address: string) =>
        t.api
          .post('/api/v1/emails')
          .set(key.auth)
          .set('X-Forwarded-For', address)
          .send({ ...email, from_: 'hi@own.example' });
      const refused = await from('198.51.100.9');
      expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
        403,
        'network_not_allowed',
        expect.stringContaining('198.51.100.9'),
      ]);
      expect(refused.headers['ratelimit-remaining']).toBe('299');
      const accepted = await from('192.0.2.7');
      expect([accepted.status, accepted.headers['ratelimit-remaining']]).toEqual([202, '59']);
      for (let failures = 1; failures < 300; failures += 1) countInProcess(t.ctx, credentialFailures, '198.51.100.9');
      expect((await from('198.51.100.9')).status).toBe(429);
      expect((await from('192.0.2.7')).headers['ratelimit-remaining']).toBe('58');
    });
  });
});
