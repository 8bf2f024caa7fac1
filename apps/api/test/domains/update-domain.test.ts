import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, path } from './domain-client.js';

describe('PATCH /api/v1/domains/{id}', () => {
  let t: TestApi;

  beforeAll(async () => {
    t = await openTestApi({ config: { trackingUrl: 'https://links.example' } });
  });
  afterAll(() => t.close());

  const patch = (id: string, body: object, auth: TestApi['auth'] = t.auth) =>
    t.api.patch(`${path}/${id}`).set(auth).send(body);

  test('turns tracking on and off, one setting at a time, and says who did it', async () => {
    const domain = await createDomain(t, 'tracked.example');
    expect(domain).toMatchObject({ track_opens: false, track_clicks: false, tracking_available: true });
    const opens = await patch(domain.id, { track_opens: true });
    expect([opens.status, opens.body]).toEqual([200, { ...domain, track_opens: true }]);
    await patch(domain.id, { track_clicks: true });
    await patch(domain.id, { track_clicks: true });
    await patch(domain.id, { track_opens: false });
    const { body } = await t.api.get(`${path}/${domain.id}`).set(t.auth);
    expect(body).toEqual({ ...domain, track_clicks: true });
    const entries = await t.ctx
      .db('audit_log')
      .where({ action: 'domain.updated', target_id: domain.id })
      .orderBy('id')
      .pluck('changes');
    expect(entries).toEqual([
      { track_opens: { from: false, to: true } },
      { track_clicks: { from: false, to: true } },
      { track_opens: { from: true, to: false } },
    ]);
  });

  test.each([
    [{}, 'must have at least one of track_opens and track_clicks'],
    [{ track_opens: 'yes' }, 'track_opens'],
    [{ track_opens: null }, 'track_opens'],
    [{ name: 'other.example' }, 'name'],
  ])('refuses %j', async (body, detail) => {
    const domain = await createDomain(t, `${Math.random().toString(36).slice(2)}.example`);
    const refused = await patch(domain.id, body);
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(refused.body.detail).toContain(detail);
  });

  test('does not change the domain of another workspace', async () => {
    const domain = await createDomain(t, 'mine.example');
    const other = await t.otherTenant();
    expect((await patch(domain.id, { track_opens: true }, other.auth)).status).toBe(404);
    expect((await t.api.get(`${path}/${domain.id}`).set(t.auth)).body.track_opens).toBe(false);
  });
});

test('without TRACKING_URL, tracking cannot be turned on, but it can be turned off', async () => {
  const t = await openTestApi();
  const domain = await createDomain(t, 'untracked.example');
  expect(domain.tracking_available).toBe(false);
  const refused = await t.api.patch(`${path}/${domain.id}`).set(t.auth).send({ track_clicks: true });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.detail).toContain('TRACKING_URL');
  expect((await t.api.patch(`${path}/${domain.id}`).set(t.auth).send({ track_clicks: false })).status).toBe(200);
  await t.close();
});
