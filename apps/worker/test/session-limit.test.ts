import { type RawSmtpServer, sayAndCut, startRawSmtpServer, until } from '@posthorn/testing';
import { openPool, toServer } from '../src/smtp/pool.js';
import { openSessionLimit } from '../src/smtp/session-limit.js';
import { defaultTimeouts } from './default-timeouts.js';
import { toTestRelay } from './test-relays.js';

const ALLOWED = 3;
const MESSAGES = 60;

let server: RawSmtpServer;
let refused: number;
let reply: string;

beforeEach(async () => {
  refused = 0;
  reply = '421 4.7.0 Too many connections';
  server = await startRawSmtpServer((moment) => {
    if (moment !== 'CONNECT' || server.open() <= ALLOWED) return undefined;
    refused += 1;
    return sayAndCut(reply);
  });
});

afterEach(() => server.close());

const outgoing = (index: number) => ({
  workspaceId: 'acme',
  envelope: { from: 'me@example.com', to: [`jane${index}@example.com`] },
  message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'),
  mayStart: () => true,
});

test.each(['421 4.7.0 Too many connections', '421 Closing', '554 5.7.0 Concurrent connections limit exceeded'])(
  'messages wait for a session of a relay that refuses more: %s',
  async (text) => {
    reply = text;
    const pool = openPool(toServer(toTestRelay(server.url, defaultTimeouts)));
    const all = Array.from({ length: MESSAGES }, (_, index) => index);
    const first = await Promise.all(all.slice(0, 20).map((index) => pool.send(outgoing(index))));
    const refusedAtFirst = refused;
    const others = await Promise.all(all.slice(20).map((index) => pool.send(outgoing(index))));
    expect([...first, ...others].every(({ end }) => end === 'completed')).toBe(true);
    expect(new Set(server.messages.map(({ to }) => String(to))).size).toBe(MESSAGES);
    expect(server.messages).toHaveLength(MESSAGES);
    // The first ones find out together. Later ones know the limit.
    expect(refusedAtFirst).toBeLessThan(2 * 20);
    expect(refused).toBe(refusedAtFirst);
    pool.close();
    await until(() => server.open() === 0);
  },
);

test('a relay that refuses even one session is at fault', async () => {
  const busy = await startRawSmtpServer((moment) => (moment === 'CONNECT' ? sayAndCut(reply) : undefined));
  const pool = openPool(toServer(toTestRelay(busy.url, defaultTimeouts)));
  const sent = await Promise.all([0, 1, 2].map((index) => pool.send(outgoing(index))));
  expect(sent.every(({ end }) => end === 'route_fault')).toBe(true);
  pool.close();
  await busy.close();
});

test('a refusal that is not about the number of sessions is none of a limit', () => {
  const limit = openSessionLimit(() => 3);
  expect(limit.learn({ responseCode: 554, message: '554 5.7.1 No service for you' })).toBe(false);
  expect(limit.isReached()).toBe(false);
  expect(limit.learn({ responseCode: 421, message: '421 Busy' })).toBe(true);
  expect(limit.isReached()).toBe(true);
});
