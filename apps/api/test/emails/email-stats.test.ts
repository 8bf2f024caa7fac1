import { claimEmails } from '@posthorn/domain/delivery';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';

const DAY_MS = 86_400_000;

const NONE = {
  scheduled: 0,
  queued: 0,
  sending: 0,
  sent: 0,
  deferred: 0,
  bounced: 0,
  failed: 0,
  expired: 0,
  canceled: 0,
  suppressed: 0,
  delivered: 0,
  complained: 0,
};

describe('GET /api/v1/emails/stats', () => {
  let t: TestApi;
  let later = 0;

  beforeEach(async () => {
    later = 0;
    t = await openTestApi({
      config: { rateLimitPerMinute: 1_000 },
      now: () => new Date(Date.now() + later),
      ownDatabase: 'it has a clock of its own',
    });
  });
  afterEach(() => t.close());

  const read = (query: object = {}, auth: Record<string, string> = t.auth) =>
    t.api.get('/api/v1/emails/stats').set(auth).query(query);

  async function sendAs(status: string, { auth }: Pick<TestTenant, 'auth'> = t): Promise<void> {
    const email = { to: ['a@example.com', 'b@example.com'], subject: 'Hi', text: 'Hi' };
    const { body } = await t.api.post('/api/v1/emails').set(auth).send(email).expect(202);
    if (status === 'sending') await claimEmails(t.ctx.db, [body.id], 60);
    else await t.ctx.db('emails').where({ id: body.id }).update({ status });
  }

  test('lists every status and no rates when there are no emails', async () => {
    const before = Date.now();
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'email_stats',
      since: expect.any(String),
      emails: 0,
      truncated: false,
      statuses: NONE,
      delivery_rate: null,
      bounce_rate: null,
    });
    const since = Date.parse(body.since) + 31 * DAY_MS;
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(Date.now());
  });

  test('counts emails, not recipients, by their current status', async () => {
    for (const status of ['queued', 'queued', 'sent', 'deferred', 'bounced']) await sendAs(status);
    const { body } = await read();
    expect(body).toMatchObject({ emails: 5, truncated: false });
    expect(body.statuses).toEqual({ ...NONE, queued: 2, sent: 1, deferred: 1, bounced: 1 });
  });

  test('bases the rates only on emails that were accepted by a mail server, bounced or failed', async () => {
    for (const status of ['sent', 'delivered', 'complained', 'bounced', 'failed', 'failed']) await sendAs(status);
    for (const status of ['scheduled', 'queued', 'sending', 'deferred', 'canceled', 'suppressed']) await sendAs(status);
    const { body } = await read();
    expect(body).toMatchObject({ emails: 12, delivery_rate: 0.5, bounce_rate: 0.1667 });
  });

  test('has no rates until an email is accepted by a mail server, bounces or fails', async () => {
    await sendAs('queued');
    await sendAs('canceled');
    expect((await read()).body).toMatchObject({ emails: 2, delivery_rate: null, bounce_rate: null });
  });

  test('covers the requested number of days, 31 by default', async () => {
    await sendAs('sent');
    const readEmails = async (query: object) => (await read(query)).body.emails;
    later = 2 * DAY_MS - 60_000;
    expect([await readEmails({ days: 1 }), await readEmails({ days: 2 }), await readEmails({})]).toEqual([0, 1, 1]);
    later = 31 * DAY_MS - 60_000;
    expect([await readEmails({ days: 30 }), await readEmails({ days: 31 })]).toEqual([0, 1]);
    later = 31 * DAY_MS + 60_000;
    expect(await readEmails({})).toBe(0);
  });

  test.each([{ days: '0' }, { days: '32' }, { days: '1.5' }, { days: '' }, { days: '01' }, { limit: '1' }])(
    'refuses %j with 422',
    async (query) => {
      const { status, body } = await read(query);
      expect([status, body.code]).toEqual([422, 'validation_failed']);
    },
  );

  test('is open to sessions and to keys that may read emails, but not without a credential', async () => {
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    for (const auth of [narrow, await t.login()]) expect((await read({}, auth)).status).toBe(200);
    expect((await read({}, {})).status).toBe(401);
  });

  test('does not count emails of another workspace', async () => {
    await sendAs('bounced', await t.otherTenant());
    await sendAs('sent');
    expect((await read()).body).toMatchObject({ emails: 1, statuses: { sent: 1, bounced: 0 } });
  });
});
