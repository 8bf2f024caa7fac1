import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, path } from './domain-client.js';

describe('GET /api/v1/domains', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('lists the domains of the workspace in pages, newest first', async () => {
    const other = await t.otherTenant();
    await createDomain(t, 'theirs.test', other);
    const domains = [];
    for (const name of ['one.test', 'two.test', 'three.test']) domains.unshift(await createDomain(t, name));
    const all = await t.api.get(path).set(t.auth);
    expect([all.status, all.body]).toEqual([
      200,
      { object: 'list', data: domains, has_more: false, next_cursor: null },
    ]);
    const first = await t.api.get(`${path}?limit=2`).set(t.auth);
    expect(first.body).toEqual({
      object: 'list',
      data: domains.slice(0, 2),
      has_more: true,
      next_cursor: domains[1]?.id,
    });
    const rest = await t.api.get(`${path}?limit=2&after=${first.body.next_cursor}`).set(t.auth);
    expect(rest.body).toMatchObject({ data: domains.slice(2), has_more: false });
    const back = await t.api.get(`${path}?limit=1&before=${domains[2]?.id}`).set(t.auth);
    expect(back.body).toMatchObject({ data: [domains[1]], has_more: true });
    expect((await t.api.get(`${path}?status=verified`).set(t.auth)).status).toBe(422);
  });

  test('ends a page early if DNS has long records for its domains', async () => {
    const tenant = await t.otherTenant();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.unshift((await createDomain(t, `long${count}.test`, tenant)).id);
    const finding = { status: 'wrong', found: Array(10).fill('x'.repeat(10_000)), message: null, failure: null };
    await t.ctx
      .db('sending_domains')
      .where({ workspace_id: tenant.workspace.id })
      .update({ findings: JSON.stringify({ dkim: finding }) });
    const { body } = await t.api.get(`${path}?limit=100`).set(tenant.auth);
    expect(body).toMatchObject({ data: [{ id: ids[0] }, { id: ids[1] }], has_more: true, next_cursor: ids[1] });
    const rest = await t.api.get(`${path}?limit=100&after=${ids[1]}`).set(tenant.auth);
    expect(rest.body).toMatchObject({ data: [{ id: ids[2] }, { id: ids[3] }], has_more: false });
  });
});
