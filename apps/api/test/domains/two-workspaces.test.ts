import { markDomainVerified } from '@posthorn/domain/domains';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';
import { createDomain, path } from './domain-client.js';

describe('a domain of another workspace', () => {
  let t: TestApi;
  let other: TestTenant;

  beforeAll(async () => {
    t = await openTestApi({ ownDatabase: 'it verifies domains with fixed names' });
    other = await t.otherTenant();
  });
  afterAll(() => t.close());

  const routes = [
    { method: 'get', suffix: '' },
    { method: 'post', suffix: '/verify' },
    { method: 'post', suffix: '/rotate-key' },
    { method: 'delete', suffix: '' },
  ] as const;

  test.each(routes)('gets the same 404 as an unknown domain: $method {id}$suffix', async ({ method, suffix }) => {
    const theirs = await createDomain(t, `${method}${suffix.replaceAll('/', '')}.test`, other);
    const call = (id: string) => t.api[method](`${path}/${id}${suffix}`).set(t.auth);
    const [foreign, unknown, illFormed] = [await call(theirs.id), await call(newId()), await call('no-id')];
    expect(foreign.status).toBe(404);
    for (const response of [foreign, unknown, illFormed])
      expect({ ...response.body, request_id: '' }).toEqual({ ...foreign.body, request_id: '' });
    expect((await t.api.get(`${path}/${theirs.id}`).set(other.auth)).body).toEqual(theirs);
  });

  describe('cannot be used to send', () => {
    let theirs: string;
    let mine: string;

    beforeAll(async () => {
      theirs = (await createDomain(t, 'victim.test', other)).id;
      mine = (await createDomain(t, 'acme.test')).id;
      for (const id of [theirs, mine]) await markDomainVerified(t.ctx, id);
      await createDomain(t, 'victim.test');
    });

    const send = (fields: object) =>
      t.api
        .post('/api/v1/emails')
        .set(t.auth)
        .send({ to: ['jane@example.com'], subject: 's', text: 't', ...fields });

    test.each([
      ['me@victim.test', 403],
      ['me@VICTIM.test', 403],
      ['me@evilacme.test', 403],
      ['me@mail.acme.test', 403],
      ['me@acme.test.evil.example', 403],
      ['me@test', 422],
      // A Cyrillic letter that only looks like the Latin one
      ['me@\u0430cme.test', 403],
      ['me@acme\u200b.test', 422],
      ['me@ａcme.test', 422],
      ['"ceo@acme.test" <me@victim.test>', 422],
      ['ceo@acme.test <me@victim.test>', 422],
      ['me@acme.test, me@victim.test', 422],
      ['me@victim.test, me@acme.test', 422],
      ['<me@acme.test> <me@victim.test>', 422],
      ['me@victim.test@acme.test', 422],
      ['"me@victim.test"@acme.test', 422],
      ['me%victim.test@acme.test\r\nFrom: me@victim.test', 422],
      ['me(@victim.test)@acme.test', 422],
      ['@victim.test:me@acme.test', 422],
      ['Team: me@acme.test;', 422],
    ])('with from_ %j', async (from_, status) => {
      const { body, status: answered } = await send({ from_ });
      expect([from_, answered, answered === 403 ? body.code : '']).toEqual([
        from_,
        status,
        status === 403 ? 'sender_not_verified' : '',
      ]);
    });

    test('by its id', async () => {
      for (const from_ of ['me@acme.test', 'me@victim.test', 'me@elsewhere.test']) {
        const [foreign, unknown] = [
          await send({ from_, domain_id: theirs }),
          await send({ from_, domain_id: newId() }),
        ];
        expect([foreign.status, foreign.body.code]).toEqual([404, 'domain_not_found']);
        expect({ ...foreign.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
      }
      expect((await send({ from_: 'me@acme.test', domain_id: mine })).status).toBe(202);
      expect((await send({ domain_id: mine })).status).toBe(422);
      expect((await send({ from_: 'me@other.test', domain_id: mine })).status).toBe(422);
    });

    test('through a second From header or a list in from_', async () => {
      for (const header of ['From', 'from', 'Sender', 'FROM', 'Resent-From'])
        expect([
          header,
          (await send({ from_: 'me@acme.test', headers: { [header]: 'me@victim.test' } })).status,
        ]).toEqual([header, 422]);
      expect((await send({ from_: ['me@acme.test', 'me@victim.test'] })).status).toBe(422);
    });

    test('through its address in a display name', async () => {
      const { body, status } = await send({ from_: '"ceo@victim.test" <me@acme.test>' });
      expect([status, body.errors]).toEqual([422, [{ field: 'from_', message: expect.any(String) }]]);
    });
  });
});
