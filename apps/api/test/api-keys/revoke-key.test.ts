import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@posthorn/platform/values';
import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const NOTICED_MS = 1_000;

describe('DELETE /api/v1/api-keys/:id', () => {
  let t: TestApi;
  let session: { Cookie: string };
  beforeEach(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterEach(() => t.close());

  const keyId = async () => (await t.api.get('/api/v1/api-keys').set(session)).body.data[0].id;

  test('stops the key from working within a second on every process', async () => {
    const second = await openSecondInstance(t);
    const statuses = async () => [
      (await t.api.get('/api/v1/emails').set(t.auth)).status,
      (await second.api.get('/api/v1/emails').set(t.auth)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const id = await keyId();
    const { status, body } = await t.api.delete(`/api/v1/api-keys/${id}`).set(session);
    expect([status, body]).toEqual([200, { object: 'api_key', id, revoked: true }]);
    await sleep(NOTICED_MS);
    expect(await statuses()).toEqual([401, 401]);
    await second.close();
  });

  test('can be repeated, and keeps the first revocation time', async () => {
    const id = await keyId();
    const revokedAt = async () => (await t.api.get('/api/v1/api-keys').set(session)).body.data[0].revoked_at;
    await t.api.delete(`/api/v1/api-keys/${id}`).set(session).expect(200);
    const first = await revokedAt();
    await t.api.delete(`/api/v1/api-keys/${id}`).set(session).expect(200);
    expect(await revokedAt()).toBe(first);
  });

  test("gives the same response for another workspace's id, an unknown id and a malformed one", async () => {
    const other = await t.otherTenant();
    const [foreign] = await t.ctx.db('api_keys').select('id').where({ workspace_id: other.workspace.id });
    for (const id of [foreign.id, newId(), 'x', '%00']) {
      const { status, body } = await t.api.delete(`/api/v1/api-keys/${id}`).set(session);
      expect([status, body.code, body.detail]).toEqual([
        404,
        'not_found',
        'No such API key exists. Check the path and the id.',
      ]);
    }
    await sleep(NOTICED_MS);
    await t.api.get('/api/v1/emails').set(other.auth).expect(200);
  });

  test('requires the session of an owner', async () => {
    const id = await keyId();
    await t.api.delete(`/api/v1/api-keys/${id}`).set(t.auth).expect(401);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    await t.api.delete(`/api/v1/api-keys/${id}`).set(session).expect(403);
    await t.api.get('/api/v1/emails').set(t.auth).expect(200);
  });
});
