import type { PostgresFacts } from '@posthorn/domain/doctor';
import { getPlatformRecords } from '@posthorn/domain/domains';
import { closeTestContext, openTestContext, startDnsServer, startSmtpSink } from '@posthorn/testing';
import { type CheckOutcome, failed, ok, runChecks } from '../src/doctor/check.js';
import { evaluateNeedingNewerWorker, evaluateParked, evaluatePauses } from '../src/doctor/data-checks.js';
import { buildDnsChecks } from '../src/doctor/dns-checks.js';
import { evaluateFeedback } from '../src/doctor/feedback-checks.js';
import { greetServer } from '../src/doctor/greet-server.js';
import {
  evaluateConnections,
  evaluateDurability,
  evaluatePartitions,
  evaluateSchema,
  evaluateStandby,
  evaluateStatistics,
  evaluateVacuum,
  evaluateVersion,
} from '../src/doctor/postgres-checks.js';
import { evaluateEviction, evaluateMemory, evaluateOffset, evaluatePersistence } from '../src/doctor/redis-checks.js';
import { evaluateCertificate, evaluateRelay } from '../src/doctor/server-checks.js';

const now = new Date('2026-11-27');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const settings: PostgresFacts['settings'] = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  autovacuum: 'on',
};
const vacuum = { settings, unvacuumedTables: [], transactionAge: 200_000_000 };
const withStandby = { ...settings, synchronous_standby_names: 'ANY 1 (a, b)' };
const session = { greeting: 'mx.example.com ESMTP', extensions: [], tls: { validTo: inDays(60), fault: null } };
const unheard = { lastEventAt: null, lastRefusedAt: null, lastRefusal: null };
const strict = { requireTls: true, verifyCertificate: true };

const cases: ReadonlyArray<
  readonly [what: string, outcome: CheckOutcome, expected: CheckOutcome['status'], words: RegExp]
> = [
  ['a relay that hears nothing yet', evaluateFeedback('a', unheard, false), 'ok', /^No event yet$/],
  [
    'a relay that hears',
    evaluateFeedback('a', { ...unheard, lastEventAt: now }, false),
    'ok',
    /^Last event at 2026-11-27T/,
  ],
  [
    'a day of mail without an event',
    evaluateFeedback('a', unheard, true),
    'warning',
    /nothing came back.*No event yet/,
  ],
  [
    'raw delivery',
    evaluateFeedback('a', { ...unheard, lastRefusedAt: now, lastRefusal: 'Raw message delivery is on.' }, false),
    'warning',
    /last refusal at 2026-11-27T.*: Raw message delivery is on\.$/,
  ],
  [
    'a refusal before the last event',
    evaluateFeedback('a', { lastEventAt: inDays(1), lastRefusedAt: now, lastRefusal: 'Forged.' }, false),
    'ok',
    /Last event at 2026-11-28T.*; last refusal at 2026-11-27T.*: Forged\.$/,
  ],
  ['an old Postgres', evaluateVersion({ versionNumber: 140_020 }), 'failed', /14\.20/],
  ['a current Postgres', evaluateVersion({ versionNumber: 180_001 }), 'ok', /^18\.1$/],
  ['fsync=off', evaluateDurability({ settings: { ...settings, fsync: 'off' } }), 'failed', /fsync=off/],
  [
    'synchronous_commit=off',
    evaluateDurability({ settings: { ...settings, synchronous_commit: 'off' } }),
    'failed',
    /commit=off/,
  ],
  [
    'remote_apply',
    evaluateDurability({ settings: { ...settings, synchronous_commit: 'remote_apply' } }),
    'ok',
    /remote/,
  ],
  ['parked emails', evaluateParked(3), 'failed', /3 emails have been parked/],
  ['no parked emails', evaluateParked(0), 'ok', /No email/],
  ['a pause of the service', evaluatePauses([{ workspaceId: null, since: now }]), 'failed', /2026-11-27T00:00/],
  ['a pause of a workspace', evaluatePauses([{ workspaceId: 'w', since: now }]), 'ok', /1 workspaces/],
  ['emails of a newer version', evaluateNeedingNewerWorker(2), 'failed', /2 emails need a newer worker/],
  ['no standby', evaluateStandby({ settings, writability: 'writable' }), 'skipped', /empty/],
  ['a lost standby', evaluateStandby({ settings: withStandby, writability: 'standby_lost' }), 'failed', /ANY 1/],
  [
    'a standby that no commit waits for',
    evaluateStandby({ settings: { ...withStandby, synchronous_commit: 'local' }, writability: 'writable' }),
    'failed',
    /local/,
  ],
  ['a standby', evaluateStandby({ settings: withStandby, writability: 'writable' }), 'ok', /connected/],
  ['full connections', evaluateConnections({ connections: { used: 90, max: 97 } }), 'failed', /90 of 97/],
  ['few connections', evaluateConnections({ connections: { used: 5, max: 20 } }), 'failed', /2 processes/],
  ['enough connections', evaluateConnections({ connections: { used: 12, max: 97 } }), 'ok', /9 processes/],
  ['hidden statistics', evaluateStatistics({ canReadStats: false }), 'failed', /standbys/],
  ['a newer schema', evaluateSchema({ missing: [], unknown: ['0099-later'] }), 'failed', /0099-later/],
  ['partitions for a week', evaluatePartitions(inDays(7), now), 'ok', /7 days/],
  ['no partitions for tomorrow', evaluatePartitions(inDays(0.5), now), 'failed', /tomorrow/],
  ['autovacuum off', evaluateVacuum({ ...vacuum, settings: { ...settings, autovacuum: 'off' } }), 'failed', /off/],
  ['old transactions', evaluateVacuum({ ...vacuum, transactionAge: 1_900_000_000 }), 'failed', /2.1 billion/],
  [
    'dead rows',
    evaluateVacuum({ ...vacuum, unvacuumedTables: [{ name: 'deliveries', deadRows: 5_000_000 }] }),
    'failed',
    /deliveries/,
  ],
  ['a Redis that evicts', evaluateEviction({ evictionPolicy: 'allkeys-lru' }), 'failed', /allkeys-lru/],
  ['a Redis that forgets', evaluatePersistence({ isAppendOnly: false }), 'failed', /handoff markers/],
  ['a Redis that is nearly full', evaluateMemory({ usedBytes: 95e6, maxBytes: 100e6 }), 'failed', /95 MB of 100 MB/],
  ['a Redis without a limit', evaluateMemory({ usedBytes: 95e6, maxBytes: 0 }), 'ok', /not set/],
  ['a clock that is behind', evaluateOffset(-90_000), 'failed', /90000 ms behind/],
  ['a clock that is right', evaluateOffset(4.2), 'ok', /4 ms ahead/],
  [
    'a certificate that expires soon',
    evaluateCertificate('mx', { validTo: inDays(3), fault: null }, now),
    'failed',
    /2026-11-30/,
  ],
  [
    'a certificate that is not trusted',
    evaluateCertificate('mx', { validTo: inDays(90), fault: 'SELF_SIGNED' }, now),
    'failed',
    /SELF_SIGNED/,
  ],
  ['a relay with TLS', evaluateRelay(strict, session, now), 'ok', /mx.example.com answers/],
  ['a relay without STARTTLS', evaluateRelay(strict, { ...session, tls: null }, now), 'failed', /STARTTLS/],
];

test.each(cases)('%s', (_, outcome, expected, words) => {
  expect(outcome.status).toBe(expected);
  expect(outcome.detail).toMatch(words);
  if (outcome.status === 'failed') expect(outcome.fix).toMatch(/^[A-Z].*\w/);
});

test('a check that hangs or throws has failed, and does not hold up the others', async () => {
  const results = await runChecks(
    [
      { name: 'hangs', run: () => new Promise(() => {}) },
      { name: 'throws', run: () => Promise.reject(new Error('It broke\nwith details')) },
      { name: 'refused', run: async () => failed('No', 'Say yes.') },
      { name: 'works', run: async () => ok('Yes') },
    ],
    50,
  );
  expect(results).toEqual([
    { name: 'hangs', status: 'failed', detail: 'No result within 0.05 seconds', fix: expect.any(String) },
    { name: 'throws', status: 'failed', detail: 'It broke', fix: expect.any(String) },
    { name: 'refused', status: 'failed', detail: 'No', fix: 'Say yes.' },
    { name: 'works', status: 'ok', detail: 'Yes', fix: null },
  ]);
});

describe('greeting a mail server', () => {
  test.each([
    ['STARTTLS', { tls: true }, false],
    ['TLS from the first byte', { tls: 'implicit' }, true],
  ] as const)('with %s reads the certificate and sends nothing', async (_, options, isTls) => {
    const sink = await startSmtpSink(options);
    const found = await greetServer({ host: '127.0.0.1', port: sink.port, isTls }, AbortSignal.timeout(10_000));
    await sink.close();
    expect(found.tls?.fault).toMatch(/\w/);
    expect(found.tls?.validTo.getTime()).toBeGreaterThan(0);
    expect(sink.messages).toHaveLength(0);
  });

  test('gives up on a server that refuses the session', async () => {
    const sink = await startSmtpSink({
      reply: (command) => (command === 'CONNECT' ? { code: 554, text: 'Not today' } : undefined),
    });
    const server = { host: '127.0.0.1', port: sink.port, isTls: false };
    await expect(greetServer(server, AbortSignal.timeout(10_000))).rejects.toThrow('554');
    await sink.close();
  });
});

test('the platform domain is checked in DNS, and nothing is written', async () => {
  const server = await startDnsServer();
  const domain = 'mail.posthorn-check.org';
  const ctx = await openTestContext({
    ownDatabase: 'it deletes the key of the platform domain',
    config: { platformSenderDomain: domain, dnsServers: [server.address] },
  });
  await ctx.db('domain_keys').delete();
  const run = async () => {
    const results = await runChecks(buildDnsChecks(ctx));
    return Object.fromEntries(results.map((result) => [result.name, result]));
  };
  try {
    expect(await run()).toMatchObject({
      dns: { status: 'ok' },
      'platform domain': { status: 'failed', detail: expect.stringContaining(domain) },
      'bounce listener': { status: 'failed', detail: expect.stringContaining('no address') },
    });
    expect(await ctx.db('domain_keys')).toHaveLength(0);
    for (const { type, name, value } of await getPlatformRecords(ctx)) {
      if (type === 'TXT') server.txt(name, value);
      else server.mx(name, { priority: 10, host: value });
    }
    expect(await run()).toMatchObject({ 'platform domain': { status: 'ok' } });
    server.failAll('SERVFAIL');
    expect(await run()).toMatchObject({ dns: { status: 'failed' }, 'bounce listener': { status: 'skipped' } });
  } finally {
    await closeTestContext(ctx);
    await server.close();
  }
});
