import { type DnsServer, startDnsServer } from '@posthorn/testing';
import type { FetchedText } from '@posthorn/webhooks';
import { createMailDns } from '../../src/mx/dns-client.js';
import { createPolicyFinder, type PolicyFinder } from '../../src/mx/find-policy.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const YEAR_MS = 31_557_600_000;
const START = new Date('2026-02-03T10:00:00Z').getTime();

let dns: DnsServer;
let nowMs: number;
let fetched: string[];
/** What the HTTPS server of each domain answers. */
let answers: Map<string, () => FetchedText | Promise<FetchedText>>;
let finder: PolicyFinder;

beforeEach(async () => {
  dns = await startDnsServer();
  nowMs = START;
  fetched = [];
  answers = new Map();
  finder = openFinder();
});
afterEach(() => dns.close());

function openFinder(timeoutMs = 5_000): PolicyFinder {
  return createPolicyFinder(
    {
      dns: createMailDns({ dnsServers: [dns.address] }, { now: () => nowMs }),
      now: () => new Date(nowMs),
      async fetchPolicy(domain) {
        fetched.push(domain);
        return answers.get(domain)?.() ?? { error: 'No answer within 8 seconds' };
      },
    },
    { timeoutMs },
  );
}

type Published = { id?: string; mode?: string; mx?: string; maxAge?: number; domain?: string };

function publish({
  id = '1',
  mode = 'enforce',
  mx = 'mx.a.example',
  maxAge = 86_400,
  domain = 'a.example',
}: Published = {}) {
  dns.txt(`_mta-sts.${domain}`, `v=STSv1; id=${id};`);
  const text = `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: ${maxAge}\r\n`;
  answers.set(domain, () => ({ text }));
}

const breakServer = () => answers.clear();

test('a policy is fetched once and kept until it expires', async () => {
  publish();
  const policy = { mode: 'enforce', mx: ['mx.a.example'], id: '1', expires: new Date(START + DAY_MS) };
  expect(await finder.findPolicy('A.example')).toEqual(policy);
  nowMs += DAY_MS / 2 - 1;
  expect(await finder.findPolicy('a.example')).toEqual(policy);
  expect(fetched).toEqual(['a.example']);
  breakServer();
  nowMs += DAY_MS / 2 + 2;
  expect(await finder.findPolicy('a.example')).toBeNull();
});

test('a policy is kept for a year at most', async () => {
  publish({ maxAge: 99_999_999_999 });
  expect((await finder.findPolicy('a.example'))?.expires).toEqual(new Date(START + YEAR_MS));
});

test('a policy that is valid for no time is not kept, and drops another one', async () => {
  publish();
  await finder.findPolicy('a.example');
  publish({ id: '2', maxAge: 0 });
  expect(await finder.findPolicy('a.example', { isFresh: true })).toBeNull();
  expect(await finder.findPolicy('a.example', { isFresh: true })).toBeNull();
  expect(fetched).toHaveLength(2);
});

test('the mode none means no policy, and drops a cached one', async () => {
  publish();
  await finder.findPolicy('a.example');
  publish({ id: '2', mode: 'none' });
  expect(await finder.findPolicy('a.example', { isFresh: true })).toBeNull();
  nowMs += MINUTE_MS;
  expect(await finder.findPolicy('a.example')).toBeNull();
  expect(fetched).toHaveLength(2);
});

test('the mode testing is told apart', async () => {
  publish({ mode: 'testing', mx: 'other.example' });
  expect(await finder.findPolicy('a.example')).toMatchObject({ mode: 'testing', mx: ['other.example'] });
});

test.each<[string, () => void]>([
  ['its server does not answer', breakServer],
  ['its server has something else', () => answers.set('a.example', () => ({ text: '<html>' }))],
  ['its record is gone', () => dns.txt('_mta-sts.a.example')],
  ['there are two records', () => dns.txt('_mta-sts.a.example', 'v=STSv1; id=2;', 'v=STSv1; id=3;')],
  ['DNS fails', () => dns.fail('_mta-sts.a.example', 'SERVFAIL')],
])('a cached policy holds while %s', async (_, change) => {
  publish();
  const policy = await finder.findPolicy('a.example');
  publish({ id: '2' });
  change();
  nowMs += MINUTE_MS + 1;
  expect(await finder.findPolicy('a.example')).toEqual(policy);
});

test('a policy with another id is fetched before the old one counts', async () => {
  publish();
  await finder.findPolicy('a.example');
  publish({ id: '2', mx: 'mx-new.a.example' });
  // The answer of DNS is still cached.
  expect(await finder.findPolicy('a.example')).toMatchObject({ mx: ['mx.a.example'] });
  expect(await finder.findPolicy('a.example', { isFresh: true })).toMatchObject({ id: '2', mx: ['mx-new.a.example'] });
  expect(await finder.findPolicy('a.example')).toMatchObject({ id: '2' });
  expect(fetched).toHaveLength(2);
});

test('a fetch that failed is repeated after five minutes', async () => {
  publish();
  breakServer();
  expect(await finder.findPolicy('a.example')).toBeNull();
  publish();
  nowMs += 5 * MINUTE_MS - 1;
  expect(await finder.findPolicy('a.example')).toBeNull();
  expect(fetched).toHaveLength(1);
  nowMs += 2;
  expect(await finder.findPolicy('a.example')).toMatchObject({ mode: 'enforce' });
});

test('a policy is fetched again after a day, and mail does not wait for it', async () => {
  publish({ maxAge: 7 * 86_400 });
  await finder.findPolicy('a.example');
  publish({ maxAge: 14 * 86_400 });
  nowMs += DAY_MS;
  expect((await finder.findPolicy('a.example'))?.expires).toEqual(new Date(START + 7 * DAY_MS));
  expect(fetched).toHaveLength(2);
  expect((await finder.findPolicy('a.example'))?.expires).toEqual(new Date(START + 15 * DAY_MS));
});

test('one fetch is in flight for each domain', async () => {
  publish();
  await Promise.all(Array.from({ length: 10 }, () => finder.findPolicy('a.example')));
  expect(fetched).toHaveLength(1);
});

test('at most 50 policies are fetched at the same time, and mail does not wait longer for its turn', async () => {
  finder = openFinder(500);
  const ends: Array<() => void> = [];
  const domains = Array.from({ length: 60 }, (_, index) => `d${index}.example`);
  for (const domain of domains) {
    publish({ domain });
    const [text] = [await answers.get(domain)?.()];
    answers.set(domain, () => new Promise((resolve) => ends.push(() => resolve(text as FetchedText))));
  }
  const found = await Promise.all(domains.map((domain) => finder.findPolicy(domain)));
  expect(found.filter((policy) => policy !== null)).toEqual([]);
  expect(fetched).toHaveLength(50);
  for (let index = 0; index < 60; index += 1) {
    ends[index]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(fetched).toHaveLength(60);
  await Promise.all(domains.map(async (domain) => expect(await finder.findPolicy(domain)).not.toBeNull()));
  expect(fetched).toHaveLength(60);
});

test.each(['[192.0.2.1]', '', 'a..example'])('%s has no policy', async (domain) => {
  expect(await finder.findPolicy(domain)).toBeNull();
  expect(dns.questions).toEqual([]);
});
