import type { RecordStatus } from '@posthorn/contract';
import { buildDnsRecords } from '../../src/domains/dns-records.js';
import type { Finding, Findings, Verification } from '../../src/domains/sending-domain.js';
import { computeNextCheckAt, decideVerification, toCheckResult } from '../../src/domains/verification-rules.js';

const start = new Date('2026-11-21T10:00:00.000Z');
const later = (hours: number) => new Date(start.getTime() + hours * 3_600_000);

const pending: Verification = {
  status: 'pending',
  verifiedAt: null,
  statusSince: start,
  verifiedByOperator: false,
  failingSince: null,
};
const verified: Verification = { ...pending, status: 'verified', verifiedAt: start };

describe('toCheckResult', () => {
  const key = { id: '', domainId: null, publicKey: '', createdAt: start, retiredAt: null } as const;
  const keys = [
    { ...key, selector: 'one', state: 'active' },
    { ...key, selector: 'two', state: 'pending' },
  ] as const;
  const records = buildDnsRecords({ name: 'acme.test', ownershipToken: 't' }, keys, {
    platformSenderDomain: 'platform.example',
    trackingCname: 'links.platform.example',
  });
  const all: Findings = Object.fromEntries(records.map((record) => [record.key, finding('verified')]));

  function finding(status: RecordStatus, failure: string | null = null): Finding {
    return { status, failure, found: [], message: null };
  }

  test('passes when all required records were found', () => {
    expect(toCheckResult(records, all)).toBe('passed');
    expect(toCheckResult(records, { ...all, dmarc: finding('missing'), 'dkim two': finding('missing') })).toBe(
      'passed',
    );
  });

  test.each(['ownership', 'dkim one', 'spf', 'return_path_mx'])('fails when %s is missing or wrong', (record) => {
    for (const status of ['missing', 'wrong'] as const)
      expect(toCheckResult(records, { ...all, [record]: finding(status) })).toBe('failed');
  });

  test('is unknown when a record query failed or was not made', () => {
    for (const status of ['verified', 'missing', 'pending'] as const)
      expect(toCheckResult(records, { ...all, spf: finding(status, 'SERVFAIL') })).toBe('unknown');
    const { spf: _left, ...rest } = all;
    expect(toCheckResult(records, rest)).toBe('unknown');
  });

  test('fails when one record is missing, even if the query for another failed', () => {
    expect(
      toCheckResult(records, { ...all, spf: finding('verified', 'SERVFAIL'), ownership: finding('missing') }),
    ).toBe('failed');
  });
});

describe('decideVerification', () => {
  test('verifies a domain that passes, and keeps the original time when it passes again', () => {
    const first = decideVerification(pending, 'passed', later(1));
    expect(first).toEqual({
      verification: { ...verified, verifiedAt: later(1), statusSince: later(1) },
      event: 'verified',
    });
    expect(decideVerification(first.verification, 'passed', later(2))).toEqual({
      verification: first.verification,
      event: null,
    });
  });

  test('withdraws a domain only after two failed checks a day apart', () => {
    const once = decideVerification(verified, 'failed', later(0));
    expect(once).toEqual({ verification: { ...verified, failingSince: later(0) }, event: null });
    expect(decideVerification(once.verification, 'failed', later(23.9))).toEqual({
      verification: once.verification,
      event: null,
    });
    expect(decideVerification(once.verification, 'failed', later(24))).toEqual({
      verification: { ...verified, status: 'withdrawn', statusSince: later(24) },
      event: 'withdrawn',
    });
  });

  test('ignores a single failed check after a passed one', () => {
    const once = decideVerification(verified, 'failed', later(0)).verification;
    const good = decideVerification(once, 'passed', later(12)).verification;
    expect(good.failingSince).toBeNull();
    expect(decideVerification(good, 'failed', later(25)).event).toBeNull();
  });

  test('changes nothing after an inconclusive check', () => {
    for (const verification of [pending, verified, { ...verified, failingSince: start }])
      expect(decideVerification(verification, 'unknown', later(48))).toEqual({ verification, event: null });
  });

  test('verifies a withdrawn domain that passes again', () => {
    const withdrawn: Verification = { ...verified, status: 'withdrawn', statusSince: later(30) };
    expect(decideVerification(withdrawn, 'passed', later(40))).toEqual({
      verification: { ...verified, verifiedAt: later(40), statusSince: later(40) },
      event: 'verified',
    });
    expect(decideVerification(withdrawn, 'failed', later(40))).toEqual({ verification: withdrawn, event: null });
  });

  test('leaves a domain that the operator verified as it is until a DNS check passes, and then follows DNS', () => {
    const verifiedByOperator = { ...verified, verifiedByOperator: true };
    expect(decideVerification(verifiedByOperator, 'failed', later(1))).toEqual({
      verification: verifiedByOperator,
      event: null,
    });
    expect(decideVerification(verifiedByOperator, 'passed', later(2))).toEqual({ verification: verified, event: null });
  });
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('nextCheckAt', () => {
  const after = (waitedMs: number, verification: object, more: object = {}) => {
    const now = new Date(start.getTime() + waitedMs);
    const next = computeNextCheckAt(
      { status: 'pending', statusSince: start, verifiedByOperator: false, ...verification },
      { pendingKeySince: null, result: 'failed', now, ...more },
    );
    return next && next.getTime() - now.getTime();
  };

  test.each([
    [0, 2 * MINUTE],
    [HOUR - 1, 2 * MINUTE],
    [HOUR, 15 * MINUTE],
    [DAY, 2 * HOUR],
    [7 * DAY, DAY],
    [400 * DAY, DAY],
  ])('after a wait of %d ms, schedules the next check %d ms later', (waited, pause) => {
    expect(after(waited, {})).toBe(pause);
    expect(after(waited, { status: 'withdrawn' })).toBe(pause);
    expect(after(waited, { status: 'verified' }, { pendingKeySince: start, result: 'passed' })).toBe(pause);
  });

  test('checks a verified domain once a day, and one hour after an inconclusive check', () => {
    for (const result of ['passed', 'failed']) {
      const pause = after(400 * DAY, { status: 'verified' }, { result });
      expect(pause).toBeGreaterThanOrEqual(DAY);
      expect(pause).toBeLessThanOrEqual(DAY + HOUR);
    }
    expect(after(0, { status: 'verified' }, { result: 'unknown' })).toBe(HOUR);
  });

  test('checks a domain that was verified by the operator, but only while a new key is waiting', () => {
    const verifiedByOperator = { status: 'verified', verifiedByOperator: true };
    expect(after(0, verifiedByOperator)).toBeNull();
    expect(after(0, verifiedByOperator, { pendingKeySince: start })).toBe(2 * MINUTE);
  });
});
