import { always, cut } from '@posthorn/testing';
import { type Connecting, connectToHosts, createHostMemory } from '../../src/mx/connect-to-hosts.js';
import { defaultTimeouts } from '../default-timeouts.js';
import { openSites, type Sites } from './open-sites.js';

const MINUTE_MS = 60_000;
const ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);

let sites: Sites;

beforeAll(async () => {
  sites = await openSites('127.0.0.2', ...ADDRESSES);
  for (const server of sites.servers.slice(1)) server.fault = always('CONNECT', cut);
});
afterAll(() => sites.close());

test('an attempt tries five of twenty dead hosts, and the next attempts start with the others', async () => {
  let now = 0;
  const memory = createHostMemory(() => now);
  const timeouts = { ...defaultTimeouts, greetingMs: 500 };
  const connecting: Connecting = { port: sites.port, timeouts, ehlo: null, source: { ipv4: null, ipv6: null } };
  const hosts = ADDRESSES.map((address, index) => ({
    name: `m${index}.dead.example`,
    preference: 10 + index,
    addresses: [{ address, family: 4 as const }],
  }));
  const target = { hosts, policyOf: null, isIpv4Only: false };
  const connect = () => connectToHosts(connecting, memory, target, { span: undefined, onClose: () => {} });
  const listTried = () => sites.servers.slice(1).map((server) => server.connections());

  await expect(connect()).rejects.toThrow();
  expect(listTried()).toEqual([...Array(5).fill(1), ...Array(15).fill(0)]);
  // The first pause of RETRY_SCHEDULE and the time-outs of the attempt.
  now += 3 * MINUTE_MS;
  await expect(connect()).rejects.toThrow();
  expect(listTried()).toEqual([...Array(10).fill(1), ...Array(10).fill(0)]);
  now += 20 * MINUTE_MS;
  await expect(connect()).rejects.toThrow();
  expect(listTried()[0]).toBe(2);
});
