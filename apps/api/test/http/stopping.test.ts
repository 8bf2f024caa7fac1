import { Agent, request } from 'node:http';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let agent: Agent;

beforeEach(async () => {
  // An API of its own, because the tests stop it.
  t = await openTestApi({});
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});

afterEach(async () => {
  agent.destroy();
  await t.close();
});

type Answer = { readonly status: number; readonly connection: string | undefined; readonly body: string };

function send(method: string, path: string, body = ''): Promise<Answer> {
  const headers = { ...t.auth, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const client = request(`${t.url}${path}`, { method, agent, headers }, async (response) => {
      const chunks = await response.toArray();
      const { connection } = response.headers;
      resolve({ status: response.statusCode ?? 0, connection, body: Buffer.concat(chunks).toString() });
    });
    client.on('error', reject).end(body);
  });
}

const EMAIL = JSON.stringify({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' });

test('an API that was told to stop is not ready, and answers the requests that still come, one per connection', async () => {
  expect(await send('GET', '/readyz')).toMatchObject({ status: 200, connection: 'keep-alive' });
  t.ctx.server.isStopping = true;
  const readiness = await send('GET', '/readyz');
  expect([readiness.status, readiness.connection, JSON.parse(readiness.body).status]).toEqual([
    503,
    'close',
    'stopping',
  ]);
  const accepted = await send('POST', '/api/v1/emails', EMAIL);
  expect(accepted).toMatchObject({ status: 202, connection: 'close' });
  const { id } = JSON.parse(accepted.body);
  expect(await send('GET', `/api/v1/emails/${id}`)).toMatchObject({ status: 200, connection: 'close' });
  expect(await send('GET', '/healthz')).toMatchObject({ status: 200, connection: 'close' });
});
