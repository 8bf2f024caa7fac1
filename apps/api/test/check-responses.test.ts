import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkResponses } from './check-responses.js';

const HEADERS = { 'X-Request-Id': '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', 'Content-Type': 'application/json' };

let server: Server;

afterEach(() => new Promise((done) => server.close(done)));

/** Requests GET /healthz from a server that sends this response. @returns the check of its responses */
async function responding(status: number, body: string, headers: Record<string, string> = HEADERS) {
  server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  const check = checkResponses(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/healthz?x=1`)).text();
  return check;
}

test('accepts a documented response', async () => {
  expect(await responding(200, '{"status":"ok"}')).not.toThrow();
});

const WITHOUT_ID = { 'Content-Type': 'application/json' };
const PROBLEM = { ...HEADERS, 'Content-Type': 'application/problem+json' };
const TEXT = { ...HEADERS, 'Content-Type': 'text/plain' };

test.each([
  { what: 'an undocumented status', status: 418, fault: /getLiveness 418: this status is not documented/ },
  { what: 'a wrong value', body: '{"status":"fine"}', fault: /getLiveness 200: .*\/status/ },
  { what: 'an extra field', body: '{"status":"ok","more":1}', fault: /additionalProperties/ },
  { what: 'a missing header', headers: WITHOUT_ID, fault: /X-Request-Id/ },
  { what: 'a 503 without Retry-After', status: 503, headers: PROBLEM, fault: /503: lacks the header Retry-After/ },
  { what: 'an undocumented header', headers: { ...HEADERS, 'X-More': '1' }, fault: /the header x-more is not/ },
  { what: 'another content type', headers: TEXT, fault: /text\/plain is not documented/ },
])('refuses $what', async ({ status = 200, body = '{"status":"ok"}', headers = HEADERS, fault }) => {
  expect(await responding(status, body, headers)).toThrow(fault);
});
