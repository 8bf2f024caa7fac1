import { operator } from '@posthorn/domain/audit-log';
import { setPlanLimits } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import { join, loginAs, type Session } from '../members/member-client.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import { listEntries, path } from './audit-log-client.js';

describe('GET /api/v1/audit-log', () => {
  let t: TestApi;
  let session: Session;
  beforeEach(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterEach(() => t.close());

  const rename = (name: string) => t.api.patch('/api/v1/workspace').set(session).send({ name }).expect(200);

  test('lists entries newest first, page by page in both directions', async () => {
    const start = (await listEntries(t, session)).data.length;
    for (const name of ['One', 'Two', 'Three']) await rename(name);
    const names = (entries: Array<{ target: { label: string } }>) => entries.map(({ target }) => target.label);
    const first = await listEntries(t, session, '?limit=2');
    expect(names(first.data)).toEqual(['Three', 'Two']);
    expect([first.has_more, first.next_cursor]).toEqual([true, first.data[1]?.id]);
    const second = await listEntries(t, session, `?limit=100&after=${first.next_cursor}`);
    expect(names(second.data)[0]).toBe('One');
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect(second.data).toHaveLength(start + 1);
    const newer = await listEntries(t, session, `?limit=1&before=${second.data[0]?.id}`);
    expect(names(newer.data)).toEqual(['Two']);
    expect(newer.next_cursor).toBe(newer.data[0]?.id);
    const times = [...first.data, ...second.data].map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('ends a page early if its entries are long', async () => {
    const changes = JSON.stringify({ subject: { from: 'x'.repeat(60_000), to: 'y'.repeat(60_000) } });
    await t.ctx.db('audit_log').where({ workspace_id: t.workspace.id }).update({ changes });
    for (const name of ['One', 'Two']) await rename(name);
    await t.ctx.db('audit_log').where({ workspace_id: t.workspace.id }).update({ changes });
    const page = await listEntries(t, session);
    expect([page.data.length, page.has_more]).toEqual([2, true]);
  });

  test('selects by action, actor and target, and combines them', async () => {
    const email = newAddress('bob');
    const bob = await join(t, session, email, 'owner');
    await rename('One');
    await t.api.patch('/api/v1/workspace').set(bob.session).send({ name: 'Two' }).expect(200);
    const labels = async (query: string) =>
      (await listEntries(t, session, query)).data.map(({ target }) => target.label);
    expect(await labels('?action=workspace.updated')).toEqual(['Two', 'One']);
    expect(await labels(`?actor=${bob.id}`)).toEqual(['Two', email]);
    expect(await labels(`?actor=${bob.id.toUpperCase()}&action=workspace.updated`)).toEqual(['Two']);
    expect(await labels(`?target=${t.workspace.id}&actor=${bob.id}`)).toEqual(['Two']);
    expect(await labels(`?action=webhook.deleted`)).toEqual([]);
    expect(await labels(`?target=${newId()}`)).toEqual([]);
  });

  test('finds a target by its id, even if the request wrote the id in capitals', async () => {
    const fields = { name: 'Receipt', subject: 'Hi', html_body: 'Hi', text_body: 'Hi' };
    const { body } = await t.api.post('/api/v1/templates').set(session).send(fields).expect(201);
    const url = `/api/v1/templates/${body.id.toUpperCase()}`;
    const { body: copy } = await t.api.post(`${url}/duplicate`).set(session).expect(201);
    await t.api.delete(url).set(session).expect(200);
    await t.api.delete(`/api/v1/api-keys/${t.keyId.toUpperCase()}`).set(session).expect(200);
    const actions = async (id: string) =>
      (await listEntries(t, session, `?target=${id}`)).data.map(({ action }) => action);
    expect(await actions(body.id)).toEqual(['template.deleted', 'template.created']);
    expect(await actions(t.keyId)).toEqual(['api_key.revoked', 'api_key.created']);
    const [duplicated] = (await listEntries(t, session, `?target=${copy.id}`)).data;
    expect(duplicated?.changes).toMatchObject({ duplicate_of: { from: null, to: body.id } });
  });

  test.each(['action=workspace.renamed', 'actor=jane', 'target=1', 'limit=0'])('refuses ?%s', async (query) => {
    expect(toProblem(await t.api.get(`${path}?${query}`).set(session))).toMatchObject({ status: 422 });
  });

  test('shows a workspace nothing of another, nor changes of a plan', async () => {
    t = await openTestApi({ ownDatabase: 'it changes the limits of a plan, which all workspaces share' });
    session = await t.login();
    const other = await t.otherTenant();
    await rename('Mine');
    await setPlanLimits(t.ctx, operator, 'free', { monthly: 4_000 });
    const theirs = await listEntries(t, await loginAs(t, other.user));
    expect(theirs.data.map(({ target }) => target.id).toSorted()).toEqual([other.workspace.id, other.keyId].toSorted());
    const [mine] = (await listEntries(t, session, '?limit=1')).data;
    const fromTheirs = await listEntries(t, await loginAs(t, other.user), `?target=${mine?.target.id}`);
    expect(fromTheirs.data).toEqual([]);
    expect(await t.ctx.db('audit_log').where({ workspace_id: null })).toMatchObject([
      {
        actor_type: 'operator',
        action: 'plan.limits_changed',
        target_id: 'free',
        changes: { monthly: { from: 'default', to: 4_000 } },
      },
    ]);
  });

  test('refuses members and API keys', async () => {
    const { session: member } = await join(t, session, newAddress('bob'));
    const refused = await t.api.get(path).set(member);
    expect([refused.status, refused.body.code]).toEqual([403, 'owner_required']);
    const withKey = await t.api.get(path).set(t.auth);
    expect([withKey.status, withKey.body.code]).toEqual([401, 'unauthenticated']);
    await t.api.get(path).expect(401);
  });
});
