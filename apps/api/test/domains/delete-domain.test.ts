import { markDomainVerified } from '@posthorn/domain/domains';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, getRecord, path } from './domain-client.js';

describe('DELETE /api/v1/domains/{id}', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  const send = (from_: string, more: object = {}) =>
    t.api
      .post('/api/v1/emails')
      .set(t.auth)
      .send({ to: ['jane@example.com'], subject: 's', text: 't', from_, ...more });

  test('deletes the domain and its keys at once', async () => {
    const domain = await createDomain(t, 'gone.test');
    const response = await t.api.delete(`${path}/${domain.id}`).set(t.auth);
    expect([response.status, response.body]).toEqual([200, { object: 'domain', id: domain.id, deleted: true }]);
    await t.api.get(`${path}/${domain.id}`).set(t.auth).expect(404);
    await t.api.delete(`${path}/${domain.id}`).set(t.auth).expect(404);
    for (const suffix of ['verify', 'rotate-key'])
      await t.api.post(`${path}/${domain.id}/${suffix}`).set(t.auth).expect(404);
    const { body } = await t.api.get(path).set(t.auth);
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(domain.id);
    expect(await t.ctx.db('domain_keys').where({ domain_id: domain.id })).toEqual([]);
  });

  test('lets the workspace add the name again, with a new ownership record and a new key', async () => {
    const before = await createDomain(t, 'again.test');
    await t.api.delete(`${path}/${before.id}`).set(t.auth).expect(200);
    const after = await createDomain(t, 'again.test');
    expect(after.id).not.toBe(before.id);
    for (const kind of ['ownership', 'dkim'] as const)
      expect(getRecord(after, kind).value).not.toBe(getRecord(before, kind).value);
  });

  test('deletes a domain whose emails are still waiting, and refuses new emails from it', async () => {
    const domain = await createDomain(t, newDomainName('waiting'));
    await markDomainVerified(t.ctx, domain.id);
    const keep = await createDomain(t, newDomainName('keep'));
    await markDomainVerified(t.ctx, keep.id);
    const from = `me@${domain.name}`;
    expect((await send(from, { domain_id: domain.id })).status).toBe(202);
    await t.api.delete(`${path}/${domain.id}`).set(t.auth).expect(200);
    const [refused, byId] = [await send(from), await send(from, { domain_id: domain.id })];
    expect([refused.status, refused.body.code]).toEqual([403, 'sender_not_verified']);
    expect([byId.status, byId.body.code]).toEqual([404, 'domain_not_found']);
    expect((await send(`me@${keep.name}`)).status).toBe(202);
  });
});
