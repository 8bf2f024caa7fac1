import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, path } from './domain-client.js';

describe('POST /api/v1/domains', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi({ config: { platformSenderDomain: 'post.platform.example' } });
  });
  afterAll(() => t.close());

  const create = (body: object) => t.api.post(path).set(t.auth).send(body);

  test('answers 201 with the records to publish, all of them pending', async () => {
    const response = await create({ name: 'Acme.Test.' });
    expect(response.status).toBe(201);
    const pending = { status: 'pending', ttl: 3_600, found: [], message: null };
    const [token, selector, key] = [/[0-9a-f]{32}/, /ph[0-9a-f]{8}/, /[A-Za-z0-9+/]{392}/].map((part) => part.source);
    const matching = (...parts: string[]) => expect.stringMatching(new RegExp(`^${parts.join('')}$`));
    const split = (value: string) => value.match(/.{1,255}/g);
    const [ownership, dkim] = response.body.records;
    expect(response.body).toEqual({
      object: 'domain',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'acme.test',
      status: 'pending',
      records: [
        {
          ...pending,
          record: 'ownership',
          type: 'TXT',
          name: '_posthorn.acme.test',
          value: matching('posthorn-verification=', String(token)),
          value_split: [ownership.value],
          required: true,
        },
        {
          ...pending,
          record: 'dkim',
          type: 'TXT',
          name: matching(String(selector), '\\._domainkey\\.acme\\.test'),
          value: matching('v=DKIM1; k=rsa; p=', String(key)),
          value_split: split(dkim.value),
          key: 'active',
          required: true,
        },
        {
          ...pending,
          record: 'spf',
          type: 'TXT',
          name: 'bounces.acme.test',
          value: 'v=spf1 include:post.platform.example ~all',
          value_split: ['v=spf1 include:post.platform.example ~all'],
          required: true,
        },
        {
          ...pending,
          record: 'return_path_mx',
          type: 'MX',
          name: 'bounces.acme.test',
          value: 'bounces.post.platform.example',
          priority: 10,
          required: true,
        },
        {
          ...pending,
          record: 'dmarc',
          type: 'TXT',
          name: '_dmarc.acme.test',
          value: 'v=DMARC1; p=none',
          value_split: ['v=DMARC1; p=none'],
          required: false,
        },
      ],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      track_opens: false,
      track_clicks: false,
      tracking_available: false,
      verified_at: null,
      checked_at: null,
    });
    expect(dkim.value_split.length).toBeGreaterThan(1);
    expect(JSON.stringify(response.body)).not.toMatch(/PRIVATE|private/);
  });

  test('gives each workspace its own record values for the same domain name', async () => {
    const other = await t.otherTenant();
    const [mine, theirs] = [await createDomain(t, 'shared.test'), await createDomain(t, 'shared.test', other)];
    for (const index of [0, 1]) expect(mine.records[index]?.value).not.toBe(theirs.records[index]?.value);
  });

  test.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['MAIL.Shop.CO.UK', 'mail.shop.co.uk'],
    ['me.github.io', 'me.github.io'],
    ['acme.example', 'acme.example'],
    ['deep.sub.acme.test', 'deep.sub.acme.test'],
  ])('stores %s as %s', async (name, stored) => {
    expect((await createDomain(t, name)).name).toBe(stored);
  });

  test.each([
    ['co.uk', 'public suffix'],
    ['com', 'full domain name'],
    ['github.io', 'public suffix'],
    ['公司.cn', 'public suffix'],
    ['127.0.0.1', 'not an IP address'],
    ['[::1]', 'letters, digits'],
    ['localhost', 'full domain name'],
    ['post.platform.example', 'platform domain'],
    ['platform.example', 'platform domain'],
    ['x.post.platform.example', 'platform domain'],
    ['a_b.test', 'letters, digits'],
    ['acme\u200b.test', 'invisible'],
    ['a.test/x', 'letters, digits'],
    ['', 'must not be empty'],
  ])('refuses %j', async (name, reason) => {
    const response = await create({ name });
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([{ field: 'name', message: expect.stringContaining(reason) }]);
  });

  test.each([{}, { name: 5 }, { name: 'a.test', domain: 'a.test' }, []])('refuses the body %j', async (body) => {
    expect((await create(body)).status).toBe(422);
  });

  test('requires a key with domains:write', async () => {
    const { text } = await createKey(t.ctx, operator, t.workspace.id, {
      name: 'k',
      scopes: ['emails:send', 'templates:write', 'emails:read'],
      expiresAt: null,
    });
    const response = await t.api.post(path).set('Authorization', `Bearer ${text}`).send({ name: 'scope.test' });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code: 'missing_scope', detail: expect.stringContaining('domains:write') });
    expect((await t.api.post(path).send({ name: 'scope.test' })).status).toBe(401);
  });

  test('refuses the session of a member, who can only read domains', async () => {
    const session = await t.login();
    expect((await t.api.post(path).set(session).send({ name: 'owner.test' })).status).toBe(201);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    const refused = await t.api.post(path).set(session).send({ name: 'member.test' });
    expect([refused.status, refused.body.code]).toEqual([403, 'owner_required']);
    const { body } = await t.api.get(path).set(session).expect(200);
    for (const suffix of ['/verify', '/rotate-key'])
      await t.api.post(`${path}/${body.data[0].id}${suffix}`).set(session).expect(403);
    await t.api.delete(`${path}/${body.data[0].id}`).set(session).expect(403);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'owner' });
  });

  test('answers 409 for a name that the workspace already has', async () => {
    await createDomain(t, 'twice.test');
    const response = await create({ name: 'TWICE.test' });
    expect([response.status, response.body.code]).toEqual([409, 'conflict']);
  });

  test('answers 409 when the workspace has the maximum number of domains', async () => {
    const other = await t.otherTenant();
    const rows = Array.from({ length: limits.domains.max }, (_, index) => ({
      id: crypto.randomUUID(),
      workspace_id: other.workspace.id,
      name: `d${index}.test`,
      status: 'pending',
      created_at: new Date(),
    }));
    await t.ctx.db('sending_domains').insert(rows);
    const response = await t.api.post(path).set(other.auth).send({ name: 'more.test' });
    expect(response.status).toBe(409);
    expect(response.body.detail).toContain(`${limits.domains.max} domains`);
    await t.ctx.db('sending_domains').where({ id: rows[0]?.id }).update({ deleted_at: new Date() });
    await createDomain(t, 'more.test', other);
  });

  test('answers 429 to too many requests, because each would create a key', async () => {
    const other = await t.otherTenant();
    const statuses: number[] = [];
    for (let requests = 0; requests <= limits.domainRequests.max; requests += 1)
      statuses.push((await t.api.post(path).set(other.auth).send({ name: 'localhost' })).status);
    expect(statuses[0]).toBe(422);
    const last = await t.api.post(path).set(other.auth).send({ name: 'localhost' });
    expect([last.status, last.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(last.get('Retry-After'))).toBeGreaterThan(0);
  });
});
