import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { first, type RawSmtpServer, say, startRawSmtpServer } from '@posthorn/testing';
import { openPool, type Pool, toServer } from '../src/smtp/pool.js';
import { defaultTimeouts } from './default-timeouts.js';
import { toTestRelay } from './test-relays.js';

let tokens: Server;
let asked: URLSearchParams[];
let server: RawSmtpServer;
let pool: Pool;

const OUTGOING = {
  workspaceId: 'w',
  envelope: { from: 'a@example.com', to: ['b@example.com'] },
  message: Buffer.from('Subject: Hello\r\n\r\nHi\r\n'),
  mayStart: () => true,
};

beforeEach(async () => {
  asked = [];
  tokens = createServer(async (request, response) => {
    asked.push(new URLSearchParams(await text(request)));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: `token-${asked.length}`, expires_in: 3_600 }));
  });
  tokens.listen(0, '127.0.0.1');
  await once(tokens, 'listening');
});

afterEach(async () => {
  pool.close();
  tokens.close();
  await server.close();
});

async function open(fault: Parameters<typeof startRawSmtpServer>[0] = () => undefined): Promise<void> {
  server = await startRawSmtpServer(fault, ['AUTH XOAUTH2']);
  const { port } = tokens.address() as AddressInfo;
  const oauth = new URLSearchParams({
    'oauth.token_url': `http://127.0.0.1:${port}/token`,
    'oauth.client_id': 'client',
    'oauth.client_secret': 's3cret',
    'oauth.refresh_token': 'refresh',
  });
  const url = `smtp://me%40example.com@127.0.0.1:${server.port}?requireTLS=false&${oauth}`;
  pool = openPool(toServer(toTestRelay(url, defaultTimeouts)));
}

test('a relay with OAuth alone gets an access token, which is kept for other sessions', async () => {
  await open();
  const sent = await Promise.all([pool.send(OUTGOING), pool.send(OUTGOING)]);
  expect(sent.map(({ end }) => end)).toEqual(['completed', 'completed']);
  expect(server.messages).toHaveLength(2);
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    ...{ client_id: 'client', client_secret: 's3cret', refresh_token: 'refresh', grant_type: 'refresh_token' },
  });
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(sent.flatMap(({ conversation }) => conversation).join('\n')).not.toContain('token-');
});

test('a refused token is not used again', async () => {
  await open(first('AUTH', say('535 5.7.8 Expired')));
  expect(await pool.send(OUTGOING)).toMatchObject({ end: 'route_fault', faultCode: '535' });
  expect(await pool.send(OUTGOING)).toMatchObject({ end: 'completed' });
  expect(asked).toHaveLength(2);
});
