import { operator } from '@posthorn/domain/audit-log';
import { markDomainVerified } from '@posthorn/domain/domains';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ ownDatabase: 'it adds constraints to a table' });
});

afterEach(() => t.close());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const send = (fields: object = {}) =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi', ...fields });

/** From now on, no event of this type can be stored. */
const refuseEvents = (type: string) =>
  t.ctx.db.raw(`alter table events add constraint no_such_event check (type <> '${type}') not valid`);

const TABLES = ['emails', 'deliveries', 'email_recipients', 'usage', 'sending_domains', 'domain_keys', 'events'];

async function readAll(): Promise<unknown> {
  return Promise.all(
    TABLES.map(async (table) => [table, (await t.ctx.db(table).select('*')).map((row) => JSON.stringify(row)).sort()]),
  );
}

describe('a change is not made if its event cannot be written:', () => {
  test.each(['email.accepted', 'email.scheduled'])('accepting an email, with %s', async (type) => {
    await refuseEvents(type);
    const before = await readAll();
    expect((await send({ scheduled_at: inAnHour() })).status).toBe(500);
    expect(await readAll()).toEqual(before);
  });

  test('rescheduling and canceling', async () => {
    const { body: email } = await send({ scheduled_at: inAnHour() }).expect(202);
    await refuseEvents('email.canceled');
    await t.ctx.db.raw(`alter table events add constraint no_schedule check (type <> 'email.scheduled') not valid`);
    const before = await readAll();
    const path = `/api/v1/emails/${email.id}`;
    expect((await t.api.patch(path).set(t.auth).send({ scheduled_at: inAnHour() })).status).toBe(500);
    expect((await t.api.post(`${path}/cancel`).set(t.auth)).status).toBe(500);
    expect(await readAll()).toEqual(before);
  });

  test('reaching 80 percent of a cap', async () => {
    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { daily: 5 });
    for (let count = 0; count < 3; count += 1) await send().expect(202);
    await refuseEvents('usage.threshold');
    const before = await readAll();
    expect((await send()).status).toBe(500);
    expect(await readAll()).toEqual(before);
  });

  test('verifying a domain', async () => {
    const session = await t.login();
    const { body: domain } = await t.api.post('/api/v1/domains').set(session).send({ name: 'mail.example.org' });
    await refuseEvents('domain.verified');
    const before = await readAll();
    await expect(markDomainVerified(t.ctx, domain.id)).rejects.toThrow('no_such_event');
    expect(await readAll()).toEqual(before);
  });
});
