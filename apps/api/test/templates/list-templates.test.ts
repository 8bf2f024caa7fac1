import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path } from './template-client.js';

describe('GET /api/v1/templates', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('lists the full templates of this workspace in pages, newest first', async () => {
    const other = await t.otherTenant();
    await createTemplate(t, {}, other);
    const [first, second, third] = [await createTemplate(t), await createTemplate(t), await createTemplate(t)];
    const page = await t.api.get(`${path}?limit=2`).set(t.auth);
    expect(page.status).toBe(200);
    expect(page.body).toEqual({ object: 'list', data: [third, second], has_more: true, next_cursor: second?.id });
    const rest = await t.api.get(`${path}?limit=2&after=${page.body.next_cursor}`).set(t.auth);
    expect(rest.body).toEqual({ object: 'list', data: [first], has_more: false, next_cursor: null });
    const newer = await t.api.get(`${path}?before=${first?.id}`).set(t.auth);
    expect(newer.body).toMatchObject({ data: [third, second], has_more: false });
  });

  test('finds templates by a part of the name, ignoring case, in pages', async () => {
    const tenant = await t.otherTenant();
    const other = await t.otherTenant();
    await createTemplate(t, { name: 'Rabatt 100% Größe' }, other);
    const first = await createTemplate(t, { name: 'RABATT 100% GRÖSSE' }, tenant);
    await createTemplate(t, { name: 'Rabatt 1000 Stück' }, tenant);
    const second = await createTemplate(t, { name: 'Neuer rabatt 100%' }, tenant);
    const find = (query: string) => t.api.get(`${path}?${query}`).set(tenant.auth);
    const page = await find('name=Rabatt%20100%25&limit=1');
    expect(page.body).toEqual({ object: 'list', data: [second], has_more: true, next_cursor: second.id });
    const rest = await find(`name=Rabatt%20100%25&limit=1&after=${second.id}`);
    expect(rest.body).toEqual({ object: 'list', data: [first], has_more: false, next_cursor: null });
    expect((await find('name=gr%C3%B6')).body.data).toEqual([first]);
    expect((await find('name=100_')).body.data).toEqual([]);
  });

  test.each([
    ['', 'empty'],
    ['x'.repeat(201), '200'],
  ])('refuses the name %j', async (name, reason) => {
    const response = await t.api.get(path).query({ name }).set(t.auth);
    expect(response.status).toBe(422);
    expect(response.body.errors).toEqual([{ field: 'name', message: expect.stringContaining(reason) }]);
  });

  test('is open to any key and any session, but not without a credential', async () => {
    const { text } = await createKey(t.ctx, operator, t.workspace.id, {
      name: 'k',
      scopes: ['emails:send'],
      expiresAt: null,
    });
    expect((await t.api.get(path).set('Authorization', `Bearer ${text}`)).status).toBe(200);
    expect((await t.api.get(path).set(await t.login())).status).toBe(200);
    expect((await t.api.get(path)).status).toBe(401);
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'after=x',
    'page=2',
    'after=018f2f6e-0000-7000-8000-000000000000&before=018f2f6e-0000-7000-8000-000000000000',
  ])('refuses ?%s', async (query) => {
    const response = await t.api.get(`${path}?${query}`).set(t.auth);
    expect(response.status).toBe(422);
    expect(response.body.code).toBe('validation_failed');
  });

  test.each([
    ['limit=1&limit=2', 'limit appears more than once; send it once.'],
    [
      'after=018f2f6e-0000-7000-8000-000000000000&before=018f2f6e-0000-7000-8000-000000000000',
      'after cannot be combined with before; send one of them.',
    ],
  ])('says what is wrong with ?%s', async (query, detail) => {
    const response = await t.api.get(`${path}?${query}`).set(t.auth);
    expect(response.body.detail).toBe(detail);
  });

  test('shows nothing of another workspace for a cursor from its list', async () => {
    const other = await t.otherTenant();
    const theirs = await createTemplate(t, { name: 'theirs' }, other);
    const response = await t.api.get(`${path}?before=${theirs.id}`).set(t.auth);
    expect(response.body).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });
  });
});
