import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';
import { createTemplate, path } from './template-client.js';

describe('a template of another workspace', () => {
  let t: TestApi;
  let other: TestTenant;

  beforeAll(async () => {
    t = await openTestApi();
    other = await t.otherTenant();
  });
  afterAll(() => t.close());

  const routes = [
    { method: 'get', suffix: '', body: undefined },
    { method: 'patch', suffix: '', body: { name: 'mine now' } },
    { method: 'delete', suffix: '', body: undefined },
    { method: 'post', suffix: '/preview', body: { template_vars: {} } },
    { method: 'get', suffix: '/versions', body: undefined },
    { method: 'get', suffix: '/versions/1', body: undefined },
  ] as const;

  test.each(routes)(
    'gets the same 404 as an unknown template: $method {id}$suffix',
    async ({ method, suffix, body }) => {
      const theirs = await createTemplate(t, {}, other);
      const [foreign, unknown, illFormed] = [await call(theirs.id), await call(newId()), await call('no-id')];
      expect(foreign.status).toBe(404);
      for (const response of [foreign, unknown, illFormed]) {
        expect({ ...response.body, request_id: '' }).toEqual({ ...foreign.body, request_id: '' });
      }
      expect((await t.api.get(`${path}/${theirs.id}`).set(other.auth)).body).toEqual(theirs);

      function call(id: string) {
        const request = t.api[method](`${path}/${id}${suffix}`).set(t.auth);
        return body === undefined ? request : request.send(body);
      }
    },
  );

  test('cannot be used to send', async () => {
    const theirs = await createTemplate(t, {}, other);
    const send = (id: string) =>
      t.api
        .post('/api/v1/emails')
        .set(t.auth)
        .send({ to: ['jane@example.com'], template_id: id, template_vars: {} });
    const [foreign, unknown] = [await send(theirs.id), await send(newId())];
    expect(foreign.status).toBe(404);
    expect(foreign.body.code).toBe('template_not_found');
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });
});
