import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 10_000 } });
});

afterAll(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' };

function send(body: object) {
  return t.api.post('/api/v1/emails').set(t.auth).send(body);
}

async function createTemplate(fields: object) {
  const whole = {
    name: 'Order',
    subject: 'Order {{id}}',
    html_body: '<p>{{name}}</p>',
    text_body: '{{name}}',
    ...fields,
  };
  const { body } = await t.api.post('/api/v1/templates').set(t.auth).send(whole);
  return body.id as string;
}

describe('POST /api/v1/emails', () => {
  test('accepts raw content with 202 and returns what will be sent', async () => {
    const { status, body, headers } = await send(email);
    expect(status).toBe(202);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      object: 'email',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      mode: 'live',
      status: 'queued',
      from_: `${t.workspace.slug}@posthorn.localhost`,
      to: ['jane@example.com'],
      subject: 'Hello',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      scheduled_at: null,
      warnings: [],
    });
  });

  test('leaves out headers that are null and unfolds copied ones', async () => {
    const headers = { 'X-A': null, 'X-B': 'b', References: '<a@x.test><b@x.test>\r\n\t<c@x.test>' };
    const { status, body } = await send({ ...email, headers });
    expect(status).toBe(202);
    expect((await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth)).body.headers).toEqual({
      'X-B': 'b',
      References: '<a@x.test> <b@x.test> <c@x.test>',
    });
  });

  test.each(['x', 'ж', '漢', '😀', '"', '\n', '\u0001', '\u2028'])(
    'stores and shows a large body of %j unchanged',
    async (character) => {
      const html = character.repeat(200_000);
      const { status, body } = await t.api
        .post('/api/v1/emails')
        .set(t.auth)
        .send({ ...email, html, text: html });
      expect(status).toBe(202);
      const stored = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
      expect([stored.body.html === html, stored.body.text === html]).toEqual([true, true]);
      expect(stored.headers['content-length']).toBe(String(Buffer.byteLength(stored.text)));
    },
  );

  test('stores the request id of the response with the email', async () => {
    const { body, headers } = await send(email);
    const { request_id } = await t.ctx.db('email_contents').where({ email_id: body.id }).first();
    expect(request_id).toBe(headers['x-request-id']);
  });

  test('stores a valid traceparent with its flag cleared, and ignores an invalid one', async () => {
    const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (const [header, stored] of [
      [valid, valid.replace(/1$/, '0')],
      ['of my own making', null],
    ] as const) {
      const { body } = await t.api
        .post('/api/v1/emails')
        .set({ ...t.auth, traceparent: header })
        .send(email);
      expect(await t.ctx.db('email_contents').where({ email_id: body.id }).first('traceparent')).toEqual({
        traceparent: stored,
      });
    }
  });

  test('sends the rate limit headers with every response, including refusals', async () => {
    for (const body of [email, { ...email, to: [] }, { ...email, domain_id: 'none', from_: 'a@b.example' }]) {
      const { headers } = await send(body);
      expect(headers['ratelimit-limit']).toBe('10000');
      expect(Number(headers['ratelimit-remaining'])).toBeLessThan(10_000);
      expect(Number(headers['ratelimit-reset'])).toBeGreaterThanOrEqual(1);
    }
  });

  test('accepts a session, and prefers the Authorization header over the cookie', async () => {
    const session = await t.login();
    expect((await t.api.post('/api/v1/emails').set(session).send(email)).status).toBe(202);
    const both = await t.api
      .post('/api/v1/emails')
      .set({ ...session, Authorization: 'Bearer nonsense' })
      .send(email);
    expect(both.status).toBe(401);
  });

  test('accepts a scheduled email', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const { status, body } = await send({ ...email, scheduled_at: at });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'scheduled', scheduled_at: at });
  });

  test('accepts a UTC offset and responds in UTC', async () => {
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const { body } = await send({ ...email, scheduled_at: `${day}T12:00:00+02:00` });
    expect(body.scheduled_at).toBe(`${day}T10:00:00.000Z`);
  });

  test('names the missing colon of an offset', async () => {
    const { status, body } = await send({ ...email, scheduled_at: '2027-12-20T09:30:00+0100' });
    const message = 'needs a colon in its offset: 2027-12-20T09:30:00+01:00';
    expect([status, body.errors]).toEqual([422, [{ field: 'scheduled_at', message }]]);
  });

  test('takes an optional field that is null as left out, but not a required one', async () => {
    const lists = { cc: null, bcc: null, reply_to: null, headers: null, tags: null, attachments: null };
    const others = { html: null, scheduled_at: null, expires_at: null, priority: null, template_id: null };
    const { status, body } = await send({ ...email, ...lists, ...others });
    expect([status, body.errors]).toEqual([202, undefined]);
    expect(body).toMatchObject({ status: 'queued', scheduled_at: null });
    expect((await send({ ...email, to: null })).body.errors[0].field).toBe('to');
  });

  test('stores every field of the request', async () => {
    const full = {
      ...email,
      to: ['Doe, Jane <jane@example.com>'],
      cc: ['cc@bücher.example'],
      bcc: ['hidden@example.com'],
      reply_to: ['Support <support@example.com>'],
      headers: { 'X-Order': '7' },
      tags: [{ name: 'category', value: 'receipt' }],
    };
    const { body: accepted } = await send(full);
    const { body } = await t.api.get(`/api/v1/emails/${accepted.id}`).set(t.auth);
    expect(body).toMatchObject({
      to: ['"Doe, Jane" <jane@example.com>'],
      cc: ['cc@xn--bcher-kva.example'],
      bcc: ['hidden@example.com'],
      reply_to: ['Support <support@example.com>'],
      headers: { 'X-Order': '7' },
      tags: [{ name: 'category', value: 'receipt' }],
      html: '<p>Hi</p>',
      text: 'Hi',
      template_vars: null,
    });
    expect(body.recipients.map(({ address, kind, status }: Record<string, string>) => [address, kind, status])).toEqual(
      [
        ['jane@example.com', 'to', 'queued'],
        ['cc@xn--bcher-kva.example', 'cc', 'queued'],
        ['hidden@example.com', 'bcc', 'queued'],
      ],
    );
  });

  describe('in template mode', () => {
    test('renders the subject without escaping and pins the version', async () => {
      const id = await createTemplate({ subject: 'For {{name}}' });
      const { status, body } = await send({ to: email.to, template_id: id, template_vars: { name: "O'Brien & Co" } });
      expect(status).toBe(202);
      expect(body.subject).toBe("For O'Brien & Co");
      await t.api.patch(`/api/v1/templates/${id}`).set(t.auth).send({ subject: 'Changed' });
      const { body: read } = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
      expect(read).toMatchObject({ template_id: id, template_version: 1, template_vars: { name: "O'Brien & Co" } });
    });

    test('names every missing variable; null is missing, empty strings and false are not', async () => {
      const id = await createTemplate({ subject: '{{a}} {{b}}', html_body: '{{c}}', text_body: '{{d}}' });
      const { status, body } = await send({
        to: email.to,
        template_id: id,
        template_vars: { a: '', b: null, c: false },
      });
      expect(status).toBe(422);
      expect(body.code).toBe('missing_template_variables');
      expect(body.detail).toContain('b, d');
      expect(body.errors).toEqual([
        { field: 'template_vars.b', message: 'is required by the template' },
        { field: 'template_vars.d', message: 'is required by the template' },
      ]);
    });

    test('shows the rendered html and text to callers who may read them', async () => {
      const id = await createTemplate({ html_body: '<p>{{name}}</p>', text_body: 'Dear {{name}}' });
      const { body } = await send({
        to: email.to,
        template_id: id.toUpperCase(),
        template_vars: { id: 1, name: '<b>' },
      });
      const { body: read } = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
      expect(read).toMatchObject({ html: '<p>&lt;b&gt;</p>', text: 'Dear <b>', template_vars: { id: 1, name: '<b>' } });
      const sending = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
      const { body: hidden } = await t.api.get(`/api/v1/emails/${body.id}`).set(sending);
      expect(hidden).toMatchObject({ html: null, text: null, template_vars: null });
    });

    test('allows variables that the template does not use', async () => {
      const id = await createTemplate({ subject: 'Plain', html_body: 'x', text_body: 'x' });
      expect((await send({ to: email.to, template_id: id, template_vars: { any: 1 } })).status).toBe(202);
    });

    test.each(['x\r\nBcc: evil@example.com', 'a\nb', 'a\u0000b'])(
      'refuses control characters in a variable of the subject: %j',
      async (name) => {
        const id = await createTemplate({ subject: 'For {{name}}' });
        const { status } = await send({ to: email.to, template_id: id, template_vars: { name } });
        expect(status).toBe(422);
      },
    );

    test("gives the same response for another workspace's template as for an unknown one", async () => {
      const other = await t.otherTenant();
      const id = await createTemplate({});
      const asOther = (templateId: string) =>
        t.api
          .post('/api/v1/emails')
          .set(other.auth)
          .send({ to: email.to, template_id: templateId, template_vars: { id: 1, name: 'x' } });
      const [foreign, unknown] = [await asOther(id), await asOther('0192f0c1-0000-7000-8000-000000000000')];
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
      expect(foreign.body.code).toBe('template_not_found');
    });

    test.each(['subject', 'html', 'text'])('refuses %s together with template_id', async (field) => {
      const { status, body } = await send({ to: email.to, template_id: 'x', template_vars: {}, [field]: 'x' });
      expect(status).toBe(422);
      expect(body.errors).toContainEqual({
        field,
        message: 'cannot be combined with template_id; send one or the other',
      });
    });
  });

  describe('sender', () => {
    test('is the platform sender, whatever from_ says, while no domain is verified', async () => {
      const { status, body } = await send({ ...email, from_: 'Me <me@mine.example>' });
      expect(status).toBe(202);
      expect(body.from_).toBe(`${t.workspace.slug}@posthorn.localhost`);
    });

    test('can use a verified domain; any other domain is refused with 403', async () => {
      const own = await openTestApi();
      const name = newDomainName('acme');
      const domain = await createDomain(own.ctx, operator, own.workspace.id, name);
      await markDomainVerified(own.ctx, domain.id);
      const sendFrom = (body: object) =>
        own.api
          .post('/api/v1/emails')
          .set(own.auth)
          .send({ ...email, ...body });
      expect((await sendFrom({ from_: `Acme <hi@${name.toUpperCase()}>` })).body.from_).toBe(`Acme <hi@${name}>`);
      expect((await sendFrom({ from_: `hi@${name}`, domain_id: domain.id })).status).toBe(202);
      expect((await sendFrom({})).body.from_).toBe(`${own.workspace.slug}@posthorn.localhost`);
      for (const from_ of [`hi@evil${name}`, `hi@mail.${name}`, `hi@${name}.evil.example`]) {
        const refused = await sendFrom({ from_ });
        expect(refused.status).toBe(403);
        expect(refused.body.code).toBe('sender_not_verified');
      }
      const mismatch = await sendFrom({ from_: 'hi@other.example', domain_id: domain.id });
      expect(mismatch.status).toBe(422);
      const alone = await sendFrom({ domain_id: domain.id });
      expect(alone.body.errors).toEqual([{ field: 'domain_id', message: 'requires from_; add the sender address' }]);
      await own.close();
    });

    test("gives the same response for another workspace's domain_id as for an unknown one", async () => {
      const other = await t.otherTenant();
      const name = newDomainName('theirs');
      const domain = await createDomain(t.ctx, operator, other.workspace.id, name);
      await markDomainVerified(t.ctx, domain.id);
      const [foreign, unknown] = [
        await send({ ...email, from_: `a@${name}`, domain_id: domain.id }),
        await send({ ...email, from_: `a@${name}`, domain_id: '0192f0c1-0000-7000-8000-000000000000' }),
      ];
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    });
  });
});
