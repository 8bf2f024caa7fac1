import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { sendRaw } from '../send-raw.js';

const email = JSON.stringify({ to: ['jane@example.com'], subject: 'Hello', text: 'Hello' });

/** Sends a whole body before reading anything, then another request. @returns the statuses */
function sendWholeBody(url: string, head: string, length: number): Promise<string[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(head);
      socket.write(Buffer.alloc(length, 'x'), () => {
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        socket.resume();
      });
    });
    socket.pause().setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)));
  });
}

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi();
});

afterAll(() => t.close());

describe('the HTTP server', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['two Content-Length headers', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'both a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'chunked that is not the last transfer coding',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a chunk without a size',
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
      400,
    ],
    ['a space before the colon', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\nx', 400],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n', 400],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n', 400],
    ['large headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('refuses invalid HTTP (%s) with a problem that has a request id', async (_title, request, status) => {
    const response = await sendRaw(t.url, request);
    expect(response.status).toBe(status);
    expect(response.headers).toMatch(/X-Request-Id: [0-9a-f-]{36}/i);
    expect(JSON.parse(response.body)).toMatchObject({ status, code: 'bad_request' });
  });

  test('reads a header that follows thousands of others', async () => {
    const request = `GET /api/v1/emails HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(3_000)}`;
    const response = await sendRaw(t.url, `${request}Authorization: Bearer ${t.key}\r\n\r\n`);
    expect(response.status).toBe(200);
  });

  test('ignores an unknown Expect header value', async () => {
    const response = await sendRaw(
      t.url,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: magic\r\n\r\n',
    );
    expect(response.status).toBe(200);
    expect(response.headers).toMatch(/X-Request-Id/i);
  });

  test.each(['/nothing', '/API/V1/emails', '/api/v1/emails/', '/api/v1/emails/%', '/api/v2/emails', '/docs/'])(
    'answers 404 in JSON for the unknown path %s',
    async (path) => {
      const response = await t.api.get(path).set(t.auth);
      expect(response.status).toBe(404);
      expect(response.body).toMatchObject({ code: 'not_found', request_id: response.headers['x-request-id'] });
    },
  );

  test.each([
    '//api/v1/emails',
    '/api//v1/emails',
    '/api/v1/./emails',
    '/api/v1/docs/../emails',
    '/api/v1/%65mails',
    '/api/v1/emails%2f',
    '/api/v1/emails;a=b',
    '/api/v1/emails/%2e%2e/%2e%2e/%2e%2e/metrics',
    '/api/v1/emails/..%2f..%2f..%2fmetrics',
    '/docs/..%2f..%2f..%2fpackage.json',
  ])('does not resolve or decode paths: %s is a 404', async (path) => {
    const response = await sendRaw(
      t.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${t.key}\r\n\r\n`,
    );
    expect(response.status).toBe(404);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'not_found' });
  });

  test('ignores a method override in a header or the query string', async () => {
    const { body } = await t.api
      .post('/api/v1/templates')
      .set(t.auth)
      .send({ name: 'Stays', subject: 's', html_body: 'h', text_body: 't' });
    const path = `/api/v1/templates/${body.id}`;
    await t.api
      .get(path)
      .set({ ...t.auth, 'X-HTTP-Method-Override': 'DELETE' })
      .expect(200);
    await t.api.get(`${path}?_method=DELETE`).set(t.auth).expect(422);
    await t.api
      .post(path)
      .set({ ...t.auth, 'X-HTTP-Method': 'DELETE' })
      .expect(405);
    await t.api.get(path).set(t.auth).expect(200);
  });

  test.each(['OPTIONS', 'PUT', 'TRACE'])('answers %s with 405 and no CORS headers', async (method) => {
    const request = `${method} /api/v1/emails HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://evil.example\r\n\r\n`;
    const response = await sendRaw(t.url, request);
    expect(response.status).toBe(405);
    expect(response.headers).not.toMatch(/access-control/i);
  });

  test.each([
    ['delete', '/api/v1/emails', 'POST, GET, HEAD'],
    ['post', '/api/v1/emails/0192f0c1-0000-7000-8000-000000000000', 'GET, HEAD, PATCH'],
    ['get', '/api/v1/emails/0192f0c1-0000-7000-8000-000000000000/cancel', 'POST'],
    ['get', '/api/v1/emails/batch', 'POST'],
    ['head', '/api/v1/emails/batch', 'POST'],
    ['get', '/api/v1/emails/check?limit=1', 'POST'],
    ['patch', '/api/v1/emails/check', 'POST'],
    ['patch', '/api/v1/emails/stats', 'GET, HEAD'],
    ['delete', '/api/v1/templates/preview', 'POST'],
    ['put', '/auth/login', 'POST'],
    ['post', '/healthz', 'GET, HEAD'],
  ] as const)('answers 405 to a method that a path does not support: %s %s', async (method, path, allowed) => {
    const response = await t.api[method](path).set(t.auth);
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe(allowed);
    if (method === 'head') return;
    expect(response.body).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.body.detail).toContain(`does not support ${method.toUpperCase()}`);
  });

  test.each([
    ['post', '/api/v1/emails?dry_run=1'],
    ['get', '/api/v1/workspace?a=1'],
    ['get', '/api/v1/emails/0192f0c1-0000-7000-8000-000000000000?expand=events'],
    ['get', '/healthz?verbose'],
    ['post', '/auth/logout?everywhere=1'],
  ] as const)('refuses an unknown query parameter: %s %s', async (method, path) => {
    const sent = t.api[method](path).set(t.auth);
    const response = await (path.includes('emails?') ? sent.send(JSON.parse(email)) : sent);
    expect(response.status).toBe(422);
    const [name] = [...new URL(path, t.url).searchParams.keys()];
    expect(response.body.errors).toEqual([
      { field: name, message: 'is not a known query parameter; remove it or check its spelling' },
    ]);
  });

  test('accepts any query parameters on a dashboard page', async () => {
    const response = await t.api.get('/login?next=%2Femails&next=%2F');
    expect(response.status).not.toBe(422);
  });

  test.each([
    ['11 MB, which is too large', 11_000_000, 413],
    ['11 MB without a credential', 11_000_000, 401],
    ['9 MB on a path that takes less', 9_000_000, 413],
  ])('responds even to a client that reads only after sending its whole body: %s', async (_what, length, status) => {
    const path = length === 9_000_000 ? '/auth/login' : '/api/v1/emails';
    const authorization = status === 401 ? '' : `Authorization: Bearer ${t.key}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${authorization}`;
    for (let count = 0; count < 3; count += 1) {
      const statuses = await sendWholeBody(t.url, `${head}Content-Length: ${length}\r\n\r\n`, length);
      // The connection can be used for another request.
      expect(statuses).toEqual([String(status), '200']);
    }
  });

  test('serves others after clients give up while sending a refused body', async () => {
    const { hostname, port } = new URL(t.url);
    const head =
      'POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n';
    const clients = Array.from({ length: 10 }, () => {
      const socket = connect(Number(port), hostname, () => socket.write(head + 'x'.repeat(1_000_000)));
      return socket.on('error', () => {}).resume();
    });
    await Promise.all(clients.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
    for (const socket of clients) socket.destroy();
    expect(await sendWholeBody(t.url, head, 9_000_000)).toEqual(['401', '200']);
  });

  test('lets only a few requests wait for earlier responses on their connection', async () => {
    const probe = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const few = await sendRaw(t.url, probe.repeat(15) + last);
    expect(few.status).toBe(200);
    const many = await sendRaw(t.url, probe.repeat(1_000) + last).catch(() => null);
    expect((many?.body ?? '').split('HTTP/1.1 200').length).toBeLessThan(30);
  });

  test('answers 404 for a path that is longer than any route', async () => {
    expect((await t.api.get(`/api/v1/emails/${'%41'.repeat(4_000)}`).set(t.auth)).status).toBe(404);
  });

  test('closes the connection when a body is far too large', async () => {
    const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `${(1_000_000).toString(16)}\r\n${'x'.repeat(1_000_000)}\r\n`;
    const { hostname, port } = new URL(t.url);
    const written = await new Promise<number>((resolve) => {
      let bytes = 0;
      const write = (error?: Error | null) => {
        if (error) return;
        bytes += 1_000_000;
        socket.write(chunk, write);
      };
      const socket = connect(Number(port), hostname, () => socket.write(head, write)).resume();
      socket.on('error', () => {}).on('close', () => resolve(bytes));
    });
    expect(written).toBeGreaterThan(11_000_000);
    expect(written).toBeLessThan(100_000_000);
  });

  test('never parses a refused body as the next request', async () => {
    const smuggled = 'DELETE /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const first = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${smuggled.length}\r\n\r\n`;
    const { body, status } = await sendRaw(
      t.url,
      `${first}${smuggled}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(401);
    expect(body).toContain('HTTP/1.1 200 OK');
    expect(body).not.toContain('HTTP/1.1 404');
  });

  test('refuses a body with too large a Content-Length before reading it, and closes the connection', async () => {
    const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\nContent-Type: application/json\r\n`;
    const response = await sendRaw(t.url, `${head}Content-Length: 99999999999\r\n\r\n{`);
    expect(response.status).toBe(413);
    expect(response.headers).toMatch(/Connection: close/i);
  });

  test('limits bodies to less than 10 MB on routes that need no credential', async () => {
    const response = await t.api.post('/auth/login').send({ email: 'a@example.com', password: 'x'.repeat(20_000) });
    expect(response.status).toBe(413);
  });

  test('refuses a small body that decompresses to a large one with 413', async () => {
    const body = gzipSync(JSON.stringify({ html: 'x'.repeat(11_000_000) }));
    expect(body.length).toBeLessThan(100_000);
    const headers = { ...t.auth, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const response = await fetch(`${t.url}/api/v1/emails`, { method: 'POST', headers, body });
    expect(response.status).toBe(413);
  });

  test('refuses a body without a Content-Length with 413 as soon as it gets too large', async () => {
    const part = new TextEncoder().encode('x'.repeat(1_000_000));
    let left = 11;
    const body = new ReadableStream({
      pull(stream) {
        left -= 1;
        if (left < 0) stream.close();
        else stream.enqueue(part);
      },
    });
    const headers = { ...t.auth, 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    expect((await fetch(`${t.url}/api/v1/emails`, request)).status).toBe(413);
  });

  test.each([
    ['gzip', gzipSync(email), 202],
    ['GZIP', gzipSync(email), 202],
    ['identity', email, 202],
    ['gzip', gzipSync(email).subarray(0, 40), 400],
    ['gzip', email, 400],
    ['compress', email, 415],
    ['constructor', email, 415],
  ])('decodes or refuses a body with the Content-Encoding %s (%#)', async (coding, body, status) => {
    const headers = { ...t.auth, 'Content-Type': 'application/json', 'Content-Encoding': coding };
    const response = await fetch(`${t.url}/api/v1/emails`, { method: 'POST', headers, body: Buffer.from(body) });
    expect(response.status).toBe(status);
  });

  test('ignores a byte order mark', async () => {
    const headers = { ...t.auth, 'Content-Type': 'application/json' };
    const response = await fetch(`${t.url}/api/v1/emails`, { method: 'POST', headers, body: `\ufeff${email}` });
    expect(response.status).toBe(202);
  });

  test.each(['utf8', 'UTF-8', '"utf-8"'])('accepts the charset %s', async (charset) => {
    const headers = { ...t.auth, 'Content-Type': `application/json; charset=${charset}` };
    const response = await fetch(`${t.url}/api/v1/emails`, { method: 'POST', headers, body: email });
    expect(response.status).toBe(202);
  });

  test.each([
    ['nothing', undefined, 204],
    ['an empty object', '{}', 204],
    ['a field', '{"everywhere":true}', 422],
    ['invalid JSON', 'x', 400],
  ])('checks the body even on a route that takes none: %s', async (_what, body, status) => {
    const headers = { ...(await t.login()), ...(body && { 'Content-Type': 'application/json' }) };
    const response = await fetch(`${t.url}/auth/logout`, { method: 'POST', headers, ...(body && { body }) });
    expect(response.status).toBe(status);
  });

  test.each([
    ['versions/1/restore', 200],
    ['duplicate', 201],
    ['preview', 200],
  ])('treats a missing body as {} if no field is required: %s', async (action, status) => {
    const template = { name: action, subject: 's', html_body: 'h', text_body: 't' };
    const { body: created } = await t.api.post('/api/v1/templates').set(t.auth).send(template);
    const url = `${t.url}/api/v1/templates/${created.id}/${action}`;
    const headers = { ...t.auth, 'Content-Type': 'application/json' };
    const chunks = { headers, body: new Blob([]).stream(), duplex: 'half' as const };
    for (const sent of [{ headers: t.auth }, { headers }, chunks, { headers, body: '{}' }])
      expect((await fetch(url, { method: 'POST', ...sent })).status).toBe(status);
    expect((await fetch(url, { method: 'POST', headers, body: ' ' })).status).toBe(400);
  });

  test.each([
    ['POST', '/api/v1/emails'],
    ['POST', '/api/v1/emails/batch'],
    ['POST', '/api/v1/templates'],
    ['PATCH', '/api/v1/workspace'],
  ])('refuses a missing body if a field is required: %s %s', async (method, path) => {
    const response = await fetch(t.url + path, { method, headers: await t.login() });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ detail: 'The request body is not valid JSON: it is empty.' }),
    ]);
  });

  test('refuses a charset other than UTF-8 with 415', async () => {
    const headers = { ...t.auth, 'Content-Type': 'application/json; charset=utf-16le' };
    const response = await fetch(`${t.url}/api/v1/emails`, {
      method: 'POST',
      headers,
      body: Buffer.from('{}', 'utf16le'),
    });
    expect(response.status).toBe(415);
  });

  test.each(['/docs', '/healthz', '/nothing'])('sends security headers (%s)', async (path) => {
    const { headers } = await t.api.get(path).set('Origin', 'https://evil.example');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
  });

  test.each([
    ['http://localhost:3000', undefined],
    ['https://mail.example.com', expect.stringContaining('max-age=')],
  ])('sends Strict-Transport-Security only if browsers use https (%s)', async (publicUrl, expected) => {
    const site = await openTestApi({ config: { publicUrl } });
    for (const path of ['/', '/docs', '/healthz', '/nothing'])
      expect((await site.api.get(path)).headers['strict-transport-security']).toEqual(expected);
    await site.close();
  });

  test('names the query string, not the body, if a parameter has an unreadable name', async () => {
    const { body } = await t.api.get('/api/v1/emails?%00=1').set(t.auth).expect(422);
    expect(body.detail).toBe('The query string has a parameter whose name contains a NUL character; remove it.');
  });

  test('reveals nothing about an unexpected error', async () => {
    const broken = await openTestApi({ ownDatabase: 'it renames a table' });
    await broken.ctx.db.raw('alter table templates rename to gone');
    const response = await broken.api.get('/api/v1/templates').set(broken.auth);
    expect(response.status).toBe(500);
    expect(response.body).toMatchObject({ code: 'internal', title: 'Internal error' });
    expect(response.text).not.toMatch(/templates|relation|select/i);
    await broken.ctx.db.raw('alter table gone rename to templates');
    await broken.close();
  });
});
