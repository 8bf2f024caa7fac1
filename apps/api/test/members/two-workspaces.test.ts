import { newId } from '@posthorn/platform/values';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { invite, join, listMembers, loginAs, path, type Session } from './member-client.js';

describe('a member of another workspace', () => {
  let t: TestApi;
  let mine: Session;
  let theirs: Session;

  beforeAll(async () => {
    t = await openTestApi();
    mine = await t.login();
    theirs = await loginAs(t, (await t.otherTenant()).user);
  });
  afterAll(() => t.close());

  const routes = [
    { method: 'patch', suffix: '', body: { role: 'owner' } },
    { method: 'post', suffix: '/resend', body: undefined },
    { method: 'delete', suffix: '', body: undefined },
  ] as const;

  test.each(routes)(
    'gets the same 404 as an unknown member, joined or invited: $method {id}$suffix',
    async ({ method, suffix, body }) => {
      const call = (id: string) => {
        const request = t.api[method](`${path}/${id}${suffix}`).set(mine);
        return body === undefined ? request : request.send(body);
      };
      const joined = await join(t, theirs, newAddress(`joined-${method}`));
      const invited = await invite(t, theirs, newAddress(`invited-${method}`));
      const before = await listMembers(t, theirs);
      const unknown = await call(newId());
      expect(unknown.status).toBe(404);
      for (const id of [joined.id, invited.id, 'no-id']) {
        const { status, body: problem } = await call(id);
        expect([status, { ...problem, request_id: '' }]).toEqual([404, { ...unknown.body, request_id: '' }]);
      }
      expect(await listMembers(t, theirs)).toEqual(before);
    },
  );

  test('cannot be removed by an owner of this workspace, but can leave their own', async () => {
    const { id, session } = await join(t, theirs, newAddress('both'));
    await t.api.delete(`${path}/${id}`).set(mine).expect(404);
    await t.api.delete(`${path}/${id}`).set(session).expect(200);
    await t.api.get('/auth/session').set(session).expect(401);
  });
});
