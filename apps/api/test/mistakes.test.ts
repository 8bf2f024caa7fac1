import { openTestApi, type TestApi } from './open-test-api.js';
import { sendRaw } from './send-raw.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});

afterAll(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };

const send = (body: object) => t.api.post('/api/v1/emails').set(t.auth).send(body);

/** What people who are used to another service try first. */
describe('a mistake in a send gets a response that says how to fix it', () => {
  test.each([
    ['to as a string', { to: 'jane@example.com' }, 'to must be an array; send ["jane@example.com"].'],
    ['to as a list in a string', { to: 'a@x.com, b@x.com' }, 'to must be an array; send ["a@x.com","b@x.com"].'],
    ['reply_to as a string', { reply_to: 'a@x.com' }, 'reply_to must be an array; send ["a@x.com"].'],
    ['to as objects', { to: [{ email: 'a@x.com' }] }, 'to[0] must be a string, such as "jane@example.com".'],
    ['from', { from: 'a@x.com' }, 'from is not a known field. Did you mean from_?'],
    ['body', { text: undefined, body: 'Hi' }, 'body is not a known field. Did you mean html or text?'],
    ['html_body', { text: undefined, html_body: 'Hi' }, 'html_body is not a known field. Did you mean html?'],
    ['htmlBody', { text: undefined, HtmlBody: 'Hi' }, 'HtmlBody is not a known field. Did you mean html?'],
    ['templateId', { ...noContent(), templateId: 'x' }, 'templateId is not a known field. Did you mean template_id?'],
    ['template', { ...noContent(), template: 'x' }, 'template is not a known field. Did you mean template_id?'],
    ['variables', { ...noContent(), variables: {} }, 'variables is not a known field. Did you mean template_vars?'],
    ['headers as a list', { headers: [] }, 'headers must be an object, such as {"X-Order-Id":"42"}.'],
    ['tags as an object', { tags: {} }, 'tags must be an array, such as [{"name":"campaign","value":"welcome"}].'],
    ['tags as strings', { tags: ['a'] }, 'tags[0] must be an object, such as {"name":"campaign","value":"welcome"}.'],
    [
      'an attachment with a path',
      { attachments: [{ filename: 'a.pdf', path: '/a.pdf', content: '' }] },
      'attachments[0].path is not read; send the file itself in content, as base64.',
    ],
  ])('%s', async (_, changes, detail) => {
    const { status, body } = await send({ ...email, ...changes });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail.slice(0, detail.length)).toBe(detail);
  });

  test.each([
    ['Name', 'filename'],
    ['FileName', 'filename'],
    ['file', null],
    ['Content', 'content'],
    ['RawContent', 'content'],
    ['ContentType', 'content_type'],
    ['contentType', 'content_type'],
    ['type', 'content_type'],
    ['ContentID', 'content_id'],
    ['contentId', 'content_id'],
    ['cid', 'content_id'],
    ['hrefs', null],
  ])('attachments[].%s', async (name, meant) => {
    const attachments = [{ filename: 'a.txt', content: 'SGk=' }, { [name]: 'x' }];
    const { body } = await send({ ...email, attachments });
    expect(body.errors[0]).toEqual({ field: `attachments[1].${name}`, message: unknownField(meant) });
  });

  test.each([
    ['key', 'name'],
    ['Name', 'name'],
    ['Value', 'value'],
  ])('tags[].%s', async (name, meant) => {
    const { body } = await send({ ...email, tags: [{ [name]: 'x' }] });
    expect(body.errors[0]).toEqual({ field: `tags[0].${name}`, message: unknownField(meant) });
  });

  test('several emails sent as one, and one as several', async () => {
    const several = await send([email, email]);
    expect([several.status, several.body.detail]).toEqual([
      422,
      'The body must be an object; to send several emails, send an array to /api/v1/emails/batch.',
    ]);
    const one = await t.api.post('/api/v1/emails/batch').set(t.auth).send(email);
    expect([one.status, one.body.detail]).toEqual([
      422,
      'The body must be an array of 1 to 100 emails, such as [{"to": …}, {"to": …}]; send a single email to /api/v1/emails.',
    ]);
  });

  test('a misspelled field of an attachment in a batch', async () => {
    const attachments = [{ Name: 'a.txt', Content: 'SGk=' }];
    const batch = t.api.post('/api/v1/emails/batch').set(t.auth);
    const { body } = await batch.send([email, email, email, { ...email, attachments }]);
    expect(body.errors).toContainEqual({ field: '[3].attachments[0].Name', message: unknownField('filename') });
  });

  test('more misspelled fields of attachments than a response lists', async () => {
    const attachments = Array.from({ length: 10 }, () => ({ Name: 'a', Content: '', ContentID: 'x' }));
    const { body } = await send({ ...email, attachments });
    expect(body.errors).toHaveLength(20);
    expect(body.errors[5]).toEqual({ field: 'attachments[1].ContentID', message: unknownField('content_id') });
  });
});

test.each([
  ['default_value', 'default'],
  ['fallbackValue', 'default'],
  ['key', 'name'],
  ['example', 'sample'],
])('variables[].%s of a template', async (name, meant) => {
  const template = { name: 'Welcome', subject: 's', html_body: '{{a}}', text_body: '{{a}}' };
  const request = t.api.post('/api/v1/templates').set(t.auth);
  const { body } = await request.send({ ...template, variables: [{ [name]: 'x' }] });
  expect(body.errors[0]).toEqual({ field: `variables[0].${name}`, message: unknownField(meant) });
});

function unknownField(meant: string | null) {
  const wayOut = meant === null ? '; remove it or check its spelling' : `. Did you mean ${meant}?`;
  return `is not a known field${wayOut}`;
}

function noContent() {
  return { subject: undefined, text: undefined };
}

describe('a mistake in JSON gets a response with its position', () => {
  test.each([
    [
      'a trailing comma',
      '{"to": ["a@x.com"],\n "subject": "s",\n}',
      'line 3, column 1. Remove the comma before this position',
    ],
    ['single quotes', "{'to': []}", 'line 1, column 2. Use double quotes'],
    ['a comment', '{\n  // to whom\n}', 'line 2, column 3. Remove the comment'],
    ['a missing end', '{"to": [', 'line 1, column 9, where it ends too early'],
    ['a missing comma', '{"a": 1 "b": 2}', 'line 1, column 9'],
  ])('%s', async (_, text, says) => {
    const response = await t.api.post('/api/v1/emails').set(t.auth).set('Content-Type', 'application/json').send(text);
    expect(response.body).toMatchObject({
      code: 'malformed_json',
      detail: `The request body is not valid JSON: it has a syntax error at ${says}.`,
    });
  });
});

describe('a mistake in the request line gets a response that says how to fix it', () => {
  test.each([
    ['a slash at the end', '/api/v1/emails/', 'No such path exists. Did you mean /api/v1/emails?'],
    ['no /api', '/v1/emails', 'No such path exists. Did you mean /api/v1/emails?'],
    ['no version', '/api/emails', 'No such path exists. Did you mean /api/v1/emails?'],
    ['an extra prefix', '/api/v1/billing/usage', 'No such path exists. Did you mean /billing/usage?'],
    ['upper case', '/API/v1/Templates', 'No such path exists. Did you mean /api/v1/templates?'],
    ['a path that resembles no other', '/api/v1/nothing', 'No such path exists. Check the path and the id.'],
  ])('%s', async (_, path, detail) => {
    const { status, body } = await t.api.get(path).set(t.auth).set('Accept', 'application/json');
    expect([status, body.code, body.detail]).toEqual([404, 'not_found', detail]);
  });

  test.each(['put', 'delete'] as const)('%s on a path that does not support it', async (method) => {
    const { status, body, headers } = await t.api[method]('/api/v1/emails').set(t.auth);
    expect([status, body.code, headers.allow]).toEqual([405, 'method_not_allowed', 'POST, GET, HEAD']);
    expect(body.detail).toContain('Supported methods');
  });

  test.each([
    ['JSON', 'application/json', '{"limit": 10}'],
    ['an empty object', 'application/json', '{}'],
    ['broken JSON', 'application/json', '{"limit": '],
    ['a form', 'application/x-www-form-urlencoded', 'limit=20'],
    ['an empty content type', '', 'limit=20'],
  ])('a GET with a body: %s', async (_, type, text) => {
    const { status, body } = await t.api.get('/api/v1/emails').set(t.auth).set('Content-Type', type).send(text);
    expect([status, body.detail]).toEqual([
      422,
      'The body must be empty, because GET takes its parameters from the query string, such as ?limit=20.',
    ]);
  });

  test('a HEAD with a body', async () => {
    const authorization = `Authorization: Bearer ${t.key}`;
    const head = `HEAD /api/v1/emails HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}`;
    const { status } = await sendRaw(t.url, `${head}\r\nContent-Length: 8\r\n\r\nlimit=20`);
    expect(status).toBe(422);
  });

  test('a GET with a body, on a connection that stays usable', async () => {
    const authorization = `Authorization: Bearer ${t.key}`;
    const get = `GET /api/v1/emails HTTP/1.1\r\nHost: x\r\n${authorization}`;
    const chunked = `${get}\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nlimit=20\r\n0\r\n\r\n`;
    const { status, body } = await sendRaw(t.url, `${chunked}${get}\r\nConnection: close\r\n\r\n`);
    expect([status, /HTTP\/1.1 (\d+)/.exec(body)?.[1]]).toEqual([422, '200']);
  });

  test.each([
    ['page=2', 'page is not a known query parameter. Did you mean after?'],
    ['per_page=50', 'per_page is not a known query parameter. Did you mean limit?'],
    ['starting_after=x', 'starting_after is not a known query parameter. Did you mean after?'],
    ['dry_run=1', 'dry_run is not a known query parameter; remove it or check its spelling.'],
  ])('?%s', async (query, detail) => {
    const { status, body } = await t.api.get(`/api/v1/emails?${query}`).set(t.auth);
    expect([status, body.detail]).toEqual([422, detail]);
  });

  const lostPlus =
    'created_after has a space where its offset needs a +; write + as %2B in a URL, or send a time in UTC that ends in Z.';
  const wrongTime = 'created_after must be an RFC 3339 time with an offset, such as 2026-12-01T09:30:00Z.';

  test.each([
    ['2026-11-22T00:00:00+01:00', 422, lostPlus],
    ['2026-11-22 00:00:00.5 01:00', 422, lostPlus],
    ['2026-11-31T00:00:00+01:00', 422, wrongTime],
    ['2026-11-22 00:00', 422, wrongTime],
    ['2026-11-22T00:00:00%2B01:00', 200, undefined],
    ['2026-11-22T00:00:00-01:00', 200, undefined],
  ])('?created_after=%s', async (time, status, detail) => {
    const response = await t.api.get(`/api/v1/emails?created_after=${time.replaceAll(' ', '%20')}`).set(t.auth);
    expect([response.status, response.body.detail]).toEqual([status, detail]);
  });

  test('a query parameter on a send', async () => {
    const { status, body } = await t.api.post('/api/v1/emails?to=jane@example.com').set(t.auth).send(email);
    expect([status, body.detail]).toEqual([422, 'to is not a known query parameter; remove it or check its spelling.']);
  });

  test('a key where a session is required', async () => {
    const { status, body } = await t.api.get('/api/v1/api-keys').set(t.auth);
    expect(status).toBe(401);
    expect(body.detail).toContain('This endpoint requires a session and cannot be called with an API key.');
  });
});
