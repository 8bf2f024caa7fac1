import { openTestApi, type TestApi } from './open-test-api.js';
import { sendRaw } from './raw-request.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi();
});

afterAll(() => t.close());

describe('every answer', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['large headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('to what is no HTTP (%s) is a problem with a request id', async (_title, request, status) => {
    const answer = await sendRaw(t.url, request);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatch(/X-Request-Id: [0-9a-f-]{36}/i);
    expect(JSON.parse(answer.body)).toMatchObject({ status, code: 'bad_request' });
  });

  test.each(['/nothing', '/API/V1/emails', '/api/v1/emails/', '/api/v1/emails/%', '/api/v2/emails', '/docs/'])(
    'to the unknown path %s is a JSON 404',
    async (path) => {
      const answer = await t.api.get(path).set(t.auth);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'not_found', request_id: answer.headers['x-request-id'] });
    },
  );

  test('to a charset other than UTF-8 is 415', async () => {
    const headers = { ...t.auth, 'Content-Type': 'application/json; charset=utf-16le' };
    const answer = await fetch(`${t.url}/api/v1/emails`, {
      method: 'POST',
      headers,
      body: Buffer.from('{}', 'utf16le'),
    });
    expect(answer.status).toBe(415);
  });

  test('carries headers that keep browsers safe', async () => {
    const { headers } = await t.api.get('/docs');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
  });

  test('a fault of ours says nothing of itself', async () => {
    const broken = await openTestApi();
    await broken.ctx.db.raw('alter table templates rename to gone');
    const answer = await broken.api.get('/api/v1/templates').set(broken.auth);
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: 'internal', title: 'Internal error' });
    expect(answer.text).not.toMatch(/templates|relation|select/i);
    await broken.ctx.db.raw('alter table gone rename to templates');
    await broken.close();
  });
});
