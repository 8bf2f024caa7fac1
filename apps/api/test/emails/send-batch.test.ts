import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate } from '../templates/template-client.js';
import { countEmails, readUsage, setLimits } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 10 } });
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const emails = (count: number) => Array.from({ length: count }, (_, n) => ({ ...email, to: [`p${n}@example.com`] }));

function sendBatch(batch: unknown, headers: Record<string, string> = {}, path = '/api/v1/emails/batch') {
  return t.api
    .post(path)
    .set(t.auth)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(JSON.stringify(batch));
}

describe('POST /api/v1/emails/batch', () => {
  test('accepts its emails and returns them in order', async () => {
    const template = await createTemplate(t, { text_body: '{{name}}', html_body: '<p>{{name}}</p>' });
    const { status, body, headers } = await sendBatch([
      email,
      { ...email, to: ['ada@example.com', 'bob@example.com'], scheduled_at: inAnHour() },
      { to: ['eve@example.com'], template_id: template.id, template_vars: { name: 'Eve' } },
    ]);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      object: 'list',
      data: [
        { object: 'email', status: 'queued', to: ['jane@example.com'], subject: 'Hello' },
        { object: 'email', status: 'scheduled', to: ['ada@example.com', 'bob@example.com'] },
        { object: 'email', status: 'queued', to: ['eve@example.com'], subject: 'Hi Eve' },
      ],
    });
    expect(headers['ratelimit-remaining']).toBe('7');
    expect(await readUsage(t)).toEqual({ month: 4, day: 4 });
    for (const { id } of body.data) expect((await t.api.get(`/api/v1/emails/${id}`).set(t.auth)).status).toBe(200);
  });

  test('accepts 100 emails, even if the rate limit is lower, as long as nothing else was sent in the last minute', async () => {
    const { status, body } = await sendBatch(emails(100));
    expect([status, body.data.length]).toEqual([202, 100]);
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(100);
    expect(await countEmails(t)).toBe(100);
    const refused = await sendBatch(emails(2));
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
  });

  test('counts each of its emails against the rate limit', async () => {
    expect((await sendBatch(emails(6))).headers['ratelimit-remaining']).toBe('4');
    const refused = await sendBatch(emails(5));
    expect([refused.status, refused.headers['ratelimit-remaining']]).toEqual([429, '4']);
    expect((await sendBatch(emails(4))).status).toBe(202);
    expect(await countEmails(t)).toBe(10);
  });

  test('is refused as a whole if it would exceed a cap', async () => {
    await setLimits(t, { daily: 5, rate: 1_000 });
    const refused = await sendBatch(emails(6));
    expect([refused.status, refused.body.code]).toEqual([429, 'daily_cap_exhausted']);
    expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
    expect((await sendBatch(emails(5))).status).toBe(202);
    expect(await readUsage(t)).toEqual({ month: 5, day: 5 });
  });

  test('accepts only as many concurrent batches as fit a cap', async () => {
    await setLimits(t, { daily: 20, rate: 1_000 });
    const responses = await Promise.all(Array.from({ length: 12 }, () => sendBatch(emails(3))));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(6);
    expect(await countEmails(t)).toBe(18);
    expect(await readUsage(t)).toEqual({ month: 18, day: 18 });
  });

  test('returns the first response and sends nothing when repeated with its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'batch-1' };
    await setLimits(t, { rate: 1_000 });
    const responses = await Promise.all(Array.from({ length: 10 }, () => sendBatch(emails(3), key)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(9);
    expect(await countEmails(t)).toBe(3);
    const other = await sendBatch(emails(2), key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    const single = await t.api.post('/api/v1/emails').set(t.auth).set(key).send(email);
    expect([single.status, single.body.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('names every fault with the index of its email, and stores nothing', async () => {
    const { status, body } = await sendBatch([
      email,
      { ...email, to: ['jane@example.com', 'bad'] },
      { subject: 'Hello', from: 'a@b.example' },
      'text',
    ]);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(['[1].to[1]', '[2].to', '[2].from', '[3]']),
    );
    expect(body.detail).toContain('[1].to[1]');
    expect(await countEmails(t)).toBe(0);
  });

  test('lists at most 20 faults across all its emails', async () => {
    const { body } = await sendBatch(Array.from({ length: 100 }, () => ({ ...email, to: ['bad'], subject: 1 })));
    expect(body.errors).toHaveLength(20);
  });

  test('names the emails whose sender or template is refused', async () => {
    const domain = await createDomain(t.ctx, operator, t.workspace.id, newDomainName('acme'));
    await markDomainVerified(t.ctx, domain.id);
    const unknown = '01a20578-6bd0-722c-811c-d36c4a4775a5';
    const { status, body } = await sendBatch([
      email,
      { ...email, from_: 'jane@other.example' },
      { to: email.to, template_id: unknown },
    ]);
    expect([status, body.code]).toEqual([403, 'sender_not_verified']);
    expect(body.detail).toMatch(/^The email at \[1\] was refused\. other\.example is not a verified domain/);
    expect(body.errors).toEqual([
      { field: '[1]', message: expect.stringContaining('was refused with sender_not_verified') },
      { field: '[2]', message: expect.stringContaining('was refused with template_not_found') },
    ]);
    expect(await countEmails(t)).toBe(0);
  });

  test('gives the index of an email even if it is the only one', async () => {
    const unknown = '01a20578-6bd0-722c-811c-d36c4a4775a5';
    const { status, body } = await sendBatch([{ to: email.to, template_id: unknown }]);
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([404, 'template_not_found', '[0]']);
  });

  test.each([
    [email, 'must be an array of 1 to 100 emails'],
    [[], 'but it is empty'],
    [emails(101), 'but it has 101. Split it into several batches'],
  ])('refuses a body that is not an array of 1 to 100 emails (%#)', async (body, text) => {
    const response = await sendBatch(body);
    expect([response.status, response.body.code]).toEqual([422, 'validation_failed']);
    expect(response.body.detail).toContain(text);
  });

  test('needs the scope emails:send', async () => {
    const Authorization = `Bearer ${await t.keyWith(['emails:read'])}`;
    const { status, body } = await sendBatch([email], { Authorization });
    expect([status, body.code]).toEqual([403, 'missing_scope']);
  });
});

describe('POST /api/v1/emails/batch?mode=permissive', () => {
  const sendPermissive = (batch: unknown, headers: Record<string, string> = {}) =>
    sendBatch(batch, headers, '/api/v1/emails/batch?mode=permissive');
  const unknownTemplate = { to: email.to, template_id: '01a20578-6bd0-722c-811c-d36c4a4775a5' };

  test('accepts the good emails together and says why each of the others was refused', async () => {
    const domain = await createDomain(t.ctx, operator, t.workspace.id, newDomainName('acme'));
    await markDomainVerified(t.ctx, domain.id);
    const template = await createTemplate(t, { html_body: '<p>{{name}}</p>', text_body: '{{name}}' });
    const { status, body } = await sendPermissive([
      { ...email, to: ['jane@example.com', 'bad'], cc: 'x' },
      { ...email, to: ['ann@example.com', 'bob@example.com'] },
      { ...email, from_: 'jane@other.example' },
      unknownTemplate,
      { to: email.to, template_id: template.id, template_vars: {} },
      'text',
      { ...email, to: ['eve@example.com'], scheduled_at: inAnHour() },
    ]);
    expect(status).toBe(202);
    expect(body).toEqual({
      object: 'list',
      data: [
        expect.objectContaining({ object: 'email', status: 'queued', to: ['ann@example.com', 'bob@example.com'] }),
        expect.objectContaining({ object: 'email', status: 'scheduled', to: ['eve@example.com'] }),
      ],
      errors: [
        {
          index: 0,
          code: 'validation_failed',
          message: expect.stringMatching(/^(to\[1\]|cc) must be /),
          errors: expect.arrayContaining([
            { field: 'to[1]', message: expect.any(String) },
            { field: 'cc', message: expect.any(String) },
          ]),
        },
        { index: 2, code: 'sender_not_verified', message: expect.stringContaining('other.example') },
        { index: 3, code: 'template_not_found', message: expect.any(String) },
        {
          index: 4,
          code: 'missing_template_variables',
          message: 'The template needs a value for name. Add it to template_vars.',
          errors: [{ field: 'template_vars.name', message: 'is required by the template' }],
        },
        { index: 5, code: 'validation_failed', message: expect.any(String), errors: expect.any(Array) },
      ],
    });
    expect(await readUsage(t)).toEqual({ month: 3, day: 3 });
    expect(await countEmails(t)).toBe(2);
  });

  test('has no errors if every email is good', async () => {
    const { status, body } = await sendPermissive(emails(3));
    expect([status, body.data.length, body.errors]).toEqual([202, 3, []]);
  });

  test.each([
    ['invalid', { ...email, to: ['bad'] }, '[0].to[0]'],
    ['refused', unknownTemplate, '[0]'],
  ])('gets a 422 if every email is %s, and counts each of them against the rate limit', async (_how, bad, field) => {
    const { status, body, headers } = await sendPermissive([bad, bad, bad]);
    expect([status, body.code, body.errors[0].field]).toEqual([422, 'validation_failed', field]);
    expect(headers['ratelimit-remaining']).toBe('7');
    expect(await countEmails(t)).toBe(0);
  });

  test('counts refused emails against the rate limit', async () => {
    const { headers } = await sendPermissive([...emails(2), unknownTemplate, { to: 1 }]);
    expect(headers['ratelimit-remaining']).toBe('6');
    expect((await sendPermissive(emails(7))).status).toBe(429);
  });

  test('is refused as a whole if the good emails together exceed a cap', async () => {
    await setLimits(t, { daily: 2, rate: 1_000 });
    const refused = await sendPermissive([...emails(3), unknownTemplate]);
    expect([refused.status, refused.body.code]).toEqual([429, 'daily_cap_exhausted']);
    expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
    expect((await sendPermissive([...emails(2), unknownTemplate])).status).toBe(202);
  });

  test('returns the same errors when repeated, even if the refused email would now be accepted', async () => {
    await setLimits(t, { rate: 1_000 });
    const key = { 'Idempotency-Key': 'batch-1' };
    const [verified, pending] = await Promise.all(
      ['a', 'b'].map((name) => createDomain(t.ctx, operator, t.workspace.id, newDomainName(name))),
    );
    await markDomainVerified(t.ctx, verified?.id ?? '');
    const batch = [...emails(1), { ...email, to: ['bad'] }, { ...email, from_: `jane@${pending?.name}` }];
    const responses = await Promise.all(Array.from({ length: 5 }, () => sendPermissive(batch, key)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(4);
    expect(responses[0]?.body.errors.map(({ index }: { index: number }) => index)).toEqual([1, 2]);
    await markDomainVerified(t.ctx, pending?.id ?? '');
    expect((await sendPermissive(batch, key)).text).toBe(responses[0]?.text);
    expect(await countEmails(t)).toBe(1);
  });

  test.each([
    ['another invalid email', [...emails(1), { ...email, to: ['worse'] }], 'permissive'],
    ['no mode', [...emails(1), { ...email, to: ['worse@example.com'] }], null],
  ])('has the identity of its whole request: not the same with %s', async (_what, other, mode) => {
    const key = { 'Idempotency-Key': 'batch-1' };
    expect((await sendPermissive([...emails(1), { ...email, to: ['bad'] }], key)).status).toBe(202);
    const { status, body } = await (mode ? sendPermissive(other, key) : sendBatch(other, key));
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('does not remember a request of which nothing was accepted', async () => {
    const key = { 'Idempotency-Key': 'batch-1' };
    expect((await sendPermissive([unknownTemplate], key)).status).toBe(422);
    expect((await sendPermissive(emails(1), key)).status).toBe(202);
  });

  test.each(['strict', '', 'Permissive'])('refuses the unknown mode %j', async (mode) => {
    const { status, body } = await sendBatch([email], {}, `/api/v1/emails/batch?mode=${mode}`);
    expect([status, body.code, body.errors[0].field]).toEqual([422, 'validation_failed', 'mode']);
    expect(await countEmails(t)).toBe(0);
  });

  test('refuses what is wrong with the whole request as a strict batch does', async () => {
    expect((await sendPermissive(email)).body.detail).toContain('must be an array of 1 to 100 emails');
    expect((await sendPermissive(emails(101))).status).toBe(422);
    const Authorization = `Bearer ${await t.keyWith(['emails:read'])}`;
    expect((await sendPermissive([email], { Authorization })).status).toBe(403);
  });
});

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}
