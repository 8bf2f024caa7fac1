import { openTestApi, type TestApi } from '../open-test-api.js';
import { countEmails, readUsage } from './usage.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 10_000 } });
});

afterAll(async () => {
  expect(await countEmails(t)).toBe(0);
  expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
  await t.close();
});

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const soon = () => new Date(Date.now() + 60_000).toISOString();

type Refused = { field: string; says: string };

function send(body: object) {
  return t.api.post('/api/v1/emails').set(t.auth).send(body);
}

const cases: Array<[title: string, body: () => object, expected: Refused]> = [
  ['no recipient', () => ({ ...email, to: [] }), { field: 'to', says: 'must have at least 1 item' }],
  ['to is missing', () => ({ ...email, to: undefined }), { field: 'to', says: 'required' }],
  ['to is a string', () => ({ ...email, to: 'jane@example.com' }), { field: 'to', says: 'array' }],
  ['an address is a number', () => ({ ...email, to: [7] }), { field: 'to[0]', says: 'string' }],
  [
    'an invalid second address',
    () => ({ ...email, to: ['a@example.com', 'nobody'] }),
    { field: 'to[1]', says: 'address' },
  ],
  [
    'two addresses in one',
    () => ({ ...email, to: ['a@example.com, b@example.com'] }),
    { field: 'to[0]', says: 'address' },
  ],
  ['a group', () => ({ ...email, to: ['Team: a@example.com;'] }), { field: 'to[0]', says: 'address' }],
  [
    'CRLF in an address',
    () => ({ ...email, to: ['a@example.com\r\nBcc: e@example.com'] }),
    { field: 'to[0]', says: '' },
  ],
  [
    '51 recipients',
    () => ({ ...email, to: Array.from({ length: 51 }, (_, i) => `a${i}@example.com`) }),
    { field: 'to', says: '50' },
  ],
  ['no subject', () => ({ ...email, subject: undefined }), { field: 'subject', says: 'required' }],
  ['an empty subject', () => ({ ...email, subject: '' }), { field: 'subject', says: 'empty' }],
  ['a long subject', () => ({ ...email, subject: 'x'.repeat(999) }), { field: 'subject', says: '998' }],
  [
    'CRLF in the subject',
    () => ({ ...email, subject: 'a\r\nBcc: e@example.com' }),
    { field: 'subject', says: 'line breaks' },
  ],
  ['NUL in the subject', () => ({ ...email, subject: 'a\u0000b' }), { field: 'subject', says: 'NUL character' }],
  ['half a surrogate pair', () => ({ ...email, text: 'a\ud800b' }), { field: 'text', says: 'surrogate' }],
  ['neither html nor text', () => ({ ...email, text: undefined }), { field: 'html', says: 'text' }],
  ['html as an object', () => ({ ...email, html: { path: '/etc/hostname' } }), { field: 'html', says: 'string' }],
  [
    'html over 2 MB',
    () => ({ ...email, html: 'x'.repeat(2_000_001) }),
    { field: 'html', says: 'is 2,000,001 bytes long; the limit is 2,000,000' },
  ],
  ['from for from_', () => ({ ...email, from: 'a@example.com' }), { field: 'from', says: 'Did you mean from_?' }],
  [
    'templateId for template_id',
    () => ({ ...email, templateId: 'x' }),
    { field: 'templateId', says: 'Did you mean template_id?' },
  ],
  ['an unknown field', () => ({ ...email, zzz: 1 }), { field: 'zzz', says: 'not a known field' }],
  [
    'template_vars without template_id',
    () => ({ ...email, template_vars: {} }),
    { field: 'template_vars', says: 'template_id' },
  ],
  ['a protected header', () => ({ ...email, headers: { bcc: 'e@example.com' } }), { field: 'headers.bcc', says: '' }],
  [
    'a header that commands a relay',
    () => ({ ...email, headers: { 'X-SES-Source-ARN': 'arn' } }),
    { field: 'headers.X-SES-Source-ARN', says: 'is read as a command by Amazon SES' },
  ],
  [
    'CRLF in a header',
    () => ({ ...email, headers: { 'X-A': 'b\r\nBcc: e@example.com' } }),
    { field: 'headers.X-A', says: '' },
  ],
  [
    'a time without an offset',
    () => ({ ...email, scheduled_at: '2030-01-01T00:00:00' }),
    { field: 'scheduled_at', says: 'offset' },
  ],
  ['hour 24', () => ({ ...email, scheduled_at: '2030-01-01T24:00:00Z' }), { field: 'scheduled_at', says: 'RFC 3339' }],
  ['nothing but dots', () => ({ ...email, to: ['..@example.com'] }), { field: 'to[0]', says: '@' }],
  [
    '30 February',
    () => ({ ...email, scheduled_at: '2030-02-30T00:00:00Z' }),
    { field: 'scheduled_at', says: 'RFC 3339' },
  ],
  ['a time in words', () => ({ ...email, scheduled_at: 'in 1 hour' }), { field: 'scheduled_at', says: 'RFC 3339' }],
  [
    'a time in the past',
    () => ({ ...email, scheduled_at: '2020-01-01T00:00:00Z' }),
    { field: 'scheduled_at', says: 'past' },
  ],
  [
    'a time too far ahead',
    () => ({ ...email, scheduled_at: new Date(Date.now() + 31 * 86_400_000).toISOString() }),
    { field: 'scheduled_at', says: '30 days' },
  ],
  [
    '76 tags',
    () => ({ ...email, tags: Array.from({ length: 76 }, (_, i) => ({ name: `n${i}`, value: 'v' })) }),
    { field: 'tags', says: '75' },
  ],
  [
    'a tag with a space',
    () => ({ ...email, tags: [{ name: 'a b', value: 'v' }] }),
    { field: 'tags[0].name', says: 'letters' },
  ],
  ['an array as the body', () => [email], { field: '', says: 'object' }],
  [
    'domain_id without from_',
    () => ({ ...email, domain_id: 'x', scheduled_at: soon() }),
    { field: 'domain_id', says: 'from_' },
  ],
];

describe('POST /api/v1/emails refuses with 422, stores nothing and counts nothing', () => {
  test.each(cases)('%s', async (_title, body, { field, says }) => {
    const response = await send(body());
    expect(response.status).toBe(422);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(response.body).toMatchObject({ status: 422, code: 'validation_failed', title: 'Validation failed' });
    expect(response.body.request_id).toBe(response.headers['x-request-id']);
    expect(response.body.type).toMatch(/\/docs#validation_failed$/);
    const fault = response.body.errors.find((error: Refused) => error.field === field);
    expect(fault).toBeDefined();
    expect(fault.message).toContain(says);
    expect(response.body.detail).toMatch(/^.{10,}[.?]$/);
    const texts = response.body.errors.map((error: Refused) => JSON.stringify(error));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('POST /api/v1/emails refuses a body that is not a JSON object', () => {
  const post = async (type: string, body: string | Buffer) => {
    const headers = { ...t.auth, 'Content-Type': type };
    const response = await fetch(`${t.url}/api/v1/emails`, { method: 'POST', headers, body: Buffer.from(body) });
    return { status: response.status, body: await response.json() };
  };

  test.each([
    ['malformed JSON', 'application/json', '{"to": [', 400, 'malformed_json'],
    ['an empty body', 'application/json', '', 400, 'malformed_json'],
    ['a form', 'application/x-www-form-urlencoded', 'to=a', 415, 'unsupported_media_type'],
    ['plain text', 'text/plain', '{}', 415, 'unsupported_media_type'],
    ['another charset', 'application/json; charset=latin1', '{}', 415, 'unsupported_media_type'],
    ['bytes that are not UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22]), 400, 'malformed_json'],
    ['a body over 10 MB', 'application/json', JSON.stringify({ html: 'x'.repeat(10_000_001) }), 413, 'body_too_large'],
    ['deep nesting', 'application/json', `${'['.repeat(40_000)}${']'.repeat(40_000)}`, 422, 'validation_failed'],
    ['deep nesting without an end', 'application/json', '['.repeat(9_000_000), 422, 'validation_failed'],
    ['millions of values', 'application/json', `[${'0,'.repeat(4_900_000)}0]`, 422, 'validation_failed'],
    ['a primitive', 'application/json', '7', 422, 'validation_failed'],
    ['null', 'application/json', 'null', 422, 'validation_failed'],
    [
      '__proto__ as a field',
      'application/json',
      JSON.stringify(email).replace('{', '{"__proto__": {"a": 1}, '),
      422,
      'validation_failed',
    ],
  ])('%s', async (...[, type, body, status, code]) => {
    const response = await post(type, body);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ status, code });
    expect(JSON.stringify(response.body)).not.toContain('xxxxxxxxxx');
  });
});

describe('POST /api/v1/emails refuses duplicate names and says which', () => {
  const rest = '"subject": "Hi", "text": "Hi"';
  const to = '"to": ["jane@example.com"]';

  test.each([
    ['to', `{${to}, ${rest}, "to": ["joe@example.com"]}`],
    ['subject', `{${to}, ${rest}, "sub\\u006aect": "Ho"}`],
    ['headers.X-A', `{${to}, ${rest}, "headers": {"X-A": "1", "X-B": ":\\"", "X-A": "\\\\"}}`],
    ['tags[1].name', `{${to}, ${rest}, "tags": [{"name": "a", "value": "b"}, {"name": "c", "name": "c"}]}`],
  ])('%s', async (field, body) => {
    const response = await t.api.post('/api/v1/emails').set(t.auth).type('json').send(body);
    expect(response.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ field, message: expect.stringContaining('twice') }],
    });
  });
});

describe('POST /api/v1/emails responds quickly and briefly, however many errors there are', () => {
  test.each([
    ['unknown fields', () => Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`field${index}`, 1]))],
    [
      'invalid headers',
      () => ({ ...email, headers: Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`a ${i}`, ''])) }),
    ],
    ['invalid tags', () => ({ ...email, tags: Array.from({ length: 9_000 }, () => ({ nam: 1 })) })],
    ['invalid addresses', () => ({ ...email, to: Array.from({ length: 19_000 }, () => 'x') })],
    ['a name of a megabyte', () => ({ ...email, ['x'.repeat(1_000_000)]: 1 })],
  ])(
    '%s',
    async (_title, body) => {
      const response = await send(body());
      expect(response.status).toBe(422);
      expect(response.body.errors.length).toBeLessThanOrEqual(20);
      expect(response.text.length).toBeLessThan(10_000);
    },
    10_000,
  );
});

describe('POST /api/v1/emails refuses a caller', () => {
  test('who has no credential, with 401 and WWW-Authenticate', async () => {
    const response = await t.api.post('/api/v1/emails').send(email);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.body.code).toBe('unauthenticated');
  });

  test('whose key lacks the scope, with a 403 that names the scope', async () => {
    const key = await t.keyWith(['templates:write']);
    const response = await t.api
      .post('/api/v1/emails')
      .set({ Authorization: `Bearer ${key}` })
      .send('not even JSON');
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code: 'missing_scope' });
    expect(response.body.detail).toContain('emails:send');
  });
});
