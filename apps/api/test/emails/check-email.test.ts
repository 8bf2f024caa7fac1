import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate } from '../templates/template-client.js';
import { countEmails, readUsage, setLimits } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' };
const check = (body: object) => t.api.post('/api/v1/emails/check').set(t.auth).send(body);

describe('POST /api/v1/emails/check', () => {
  test('says what would happen, and neither stores nor counts anything', async () => {
    const { status, body } = await check({ ...email, cc: ['bob@example.com', 'JANE@example.com'] });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'email_check',
      would_send: true,
      from_: `${t.workspace.slug}@posthorn.localhost`,
      sender_reason: 'no_sender_requested',
      subject: 'Hello',
      html: '<p>Hi</p>',
      text: 'Hi',
      recipients: [
        { address: 'jane@example.com', status: 'ok', reason: null },
        { address: 'bob@example.com', status: 'ok', reason: null },
      ],
      missing_variables: [],
      size_bytes: expect.any(Number),
      sends: 2,
      remaining: { daily: 100, monthly: 3_000 },
      authentication: { dkim: 'unknown', spf: 'unknown', dmarc: 'unknown' },
      warnings: [{ code: 'duplicate_recipients_removed', message: expect.any(String) }],
    });
    expect(await countEmails(t)).toBe(0);
    expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
    expect(await t.ctx.db('blobs').where({ workspace_id: t.workspace.id })).toHaveLength(0);
  });

  test('renders a template and lists its missing variables', async () => {
    const { id } = await createTemplate(t, {
      subject: 'Order {{id}}',
      html_body: '<p>{{name}} {{total}}</p>',
      text_body: '{{name}}',
    });
    const { status, body } = await check({ to: email.to, template_id: id, template_vars: { id: 7, name: '<Jane>' } });
    expect([status, body.would_send, body.missing_variables]).toEqual([200, false, ['total']]);
    expect([body.subject, body.html, body.text]).toEqual(['Order 7', '<p>&lt;Jane&gt; </p>', '<Jane>']);
  });

  test('says which recipients are suppressed', async () => {
    const suppressed = 'suppressed+a@simulator.posthorn.localhost';
    const some = await check({ ...email, cc: [suppressed] });
    expect([some.status, some.body.would_send, some.body.sends]).toEqual([200, true, 2]);
    expect(some.body.recipients).toEqual([
      { address: 'jane@example.com', status: 'ok', reason: null },
      { address: suppressed, status: 'suppressed', reason: 'simulated' },
    ]);
    expect(some.body.warnings).toMatchObject([{ code: 'suppressed_recipients' }]);
    const all = await check({ ...email, to: [suppressed] });
    expect([all.status, all.body.would_send]).toEqual([200, false]);
  });

  test('says that the email would exceed a cap', async () => {
    await setLimits(t, { daily: 2 });
    const to = ['a@example.com', 'b@example.com', 'c@example.com'];
    const { status, body } = await check({ ...email, to });
    expect([status, body.would_send, body.sends, body.remaining]).toEqual([
      ...[200, false, 3],
      { daily: 2, monthly: 3_000 },
    ]);
  });

  test('says whether the email would pass DKIM, SPF and DMARC, according to the last check of the domain', async () => {
    const domainName = newDomainName('acme');
    const { id } = await createDomain(t.ctx, operator, t.workspace.id, domainName);
    await markDomainVerified(t.ctx, id);
    const from_ = `Acme <hello@${domainName}>`;
    const before = (await check({ ...email, from_ })).body;
    expect([before.from_, before.sender_reason]).toEqual([from_, 'verified_domain']);
    expect(before.authentication).toEqual({ dkim: 'fail', spf: 'fail', dmarc: 'fail' });
    const { records } = (await t.api.get(`/api/v1/domains/${id}`).set(t.auth)).body;
    const { name } = records.find(({ record }: { record: string }) => record === 'dkim');
    const found = { status: 'verified', found: [], message: null, failure: null };
    const dkim = { [`dkim ${name.split('.')[0]}`]: found };
    await t.ctx.db('sending_domains').where({ id }).update({ findings: dkim });
    expect((await check({ ...email, from_ })).body.authentication).toEqual({
      dkim: 'pass',
      spf: 'fail',
      dmarc: 'pass',
    });
    await t.ctx
      .db('sending_domains')
      .where({ id })
      .update({ findings: { spf: found, return_path_mx: found } });
    expect((await check({ ...email, from_ })).body.authentication).toEqual({
      dkim: 'fail',
      spf: 'pass',
      dmarc: 'pass',
    });
  });

  test('counts attachments in the size, and stores none', async () => {
    const { body: without } = await check(email);
    const content = Buffer.alloc(57_000).toString('base64');
    const { body } = await check({ ...email, attachments: [{ filename: 'a.bin', content }] });
    expect(body.size_bytes - without.size_bytes).toBeGreaterThan(78_000);
    expect(body.size_bytes - without.size_bytes).toBeLessThan(79_000);
    expect(await t.ctx.db('blobs').where({ workspace_id: t.workspace.id })).toHaveLength(0);
  });

  test.each([
    ['invalid fields', { ...email, to: [] }, 422, 'validation_failed'],
    [
      'an unknown template',
      { to: email.to, template_id: '01a20578-6bd0-722c-811c-d36c4a4775a5' },
      404,
      'template_not_found',
    ],
    ['a time in the past', { ...email, scheduled_at: '2020-01-01T00:00:00Z' }, 422, 'validation_failed'],
  ])('refuses %s like a send', async (_, body, status, code) => {
    const checked = await check(body);
    const sent = await t.api.post('/api/v1/emails').set(t.auth).send(body);
    expect([checked.status, checked.body.code]).toEqual([status, code]);
    expect([checked.body.detail, checked.body.errors]).toEqual([sent.body.detail, sent.body.errors]);
  });

  test('refuses a sender at an unverified domain if another domain is verified', async () => {
    const { id } = await createDomain(t.ctx, operator, t.workspace.id, newDomainName('acme'));
    await markDomainVerified(t.ctx, id);
    const { status, body } = await check({ ...email, from_: 'hello@other.example' });
    expect([status, body.code]).toEqual([403, 'sender_not_verified']);
  });

  test('needs the scope emails:send', async () => {
    const key = await t.keyWith(['emails:read']);
    const { status, body } = await t.api.post('/api/v1/emails/check').set('Authorization', `Bearer ${key}`).send(email);
    expect([status, body.code]).toEqual([403, 'missing_scope']);
  });
});
