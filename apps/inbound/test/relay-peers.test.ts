import type { HostLookup } from '@posthorn/platform/network';
import { createRelayMatcher } from '../src/relay-peers.js';

const config = {
  dnsServers: [],
  smtpUrls: ['smtp://user:secret@relay.example:587', 'smtp://198.51.100.9', 'smtps://[2001:db8:9::1]'],
};
const addresses: Record<string, string[]> = {
  'relay.example': ['203.0.113.5', '2001:db8:1:2::5'],
  'added.example': ['203.0.113.20'],
};
const lookUp: HostLookup = async (name) => ({ addresses: addresses[name] ?? [] });

const added = ['added.example:2587', '198.51.100.20:587', '[2001:db8:20::1]:465'];
const ctx = { config: config as never, listRelayAddresses: async () => added };

const match = (peer: string | null) => createRelayMatcher(ctx, lookUp)(peer);

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fd00:1:2:3::/64',
  'fe80:0:0:0::/64',
  '203.0.113.5',
  '198.51.100.9',
  '2001:db8:1:2::/64',
  '2001:db8:9:0::/64',
  '203.0.113.20',
  '198.51.100.20',
  '2001:db8:20:0::/64',
])('%s is a relay', async (peer) => {
  expect(await match(peer)).toBe(true);
});

test.each([null, '203.0.113.6', '172.32.0.1', '100.128.0.1', '8.8.8.8', '2001:db8:1:3::/64', '2606:4700::/64'])(
  '%s is not a relay',
  async (peer) => {
    expect(await match(peer)).toBe(false);
  },
);

test('the addresses of a relay are looked up again after a minute', async () => {
  let now = 0;
  const found = ['203.0.113.5'];
  const isRelay = createRelayMatcher(
    { config: { ...config, smtpUrls: ['smtp://relay.example'] } as never, listRelayAddresses: async () => [] },
    async () => ({ addresses: [...found] }),
    () => now,
  );
  expect(await isRelay('203.0.113.5')).toBe(true);
  found[0] = '203.0.113.6';
  expect(await isRelay('203.0.113.5')).toBe(true);
  now = 60_001;
  expect(await isRelay('203.0.113.5')).toBe(false);
  expect(await isRelay('203.0.113.6')).toBe(true);
});

test('relays that could not be listed are listed again for the next report', async () => {
  let isDown = true;
  const listRelayAddresses = async () => {
    if (isDown) throw new Error('Postgres is down');
    return added;
  };
  const isRelay = createRelayMatcher({ ...ctx, listRelayAddresses }, lookUp);
  await expect(isRelay('203.0.113.20')).rejects.toThrow('Postgres is down');
  isDown = false;
  expect(await isRelay('203.0.113.20')).toBe(true);
});
