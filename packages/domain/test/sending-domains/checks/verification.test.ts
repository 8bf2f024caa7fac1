import { standingAfter, verdictOf } from '../../../src/sending-domains/checks/verification.js';
import type { Finding, Findings, RecordStatus } from '../../../src/sending-domains/domain/finding.js';
import type { Standing } from '../../../src/sending-domains/domain/sending-domain.js';
import { recordsOf } from '../../../src/sending-domains/records/dns-records.js';

const start = new Date('2026-11-21T10:00:00.000Z');
const later = (hours: number) => new Date(start.getTime() + hours * 3_600_000);

const pending: Standing = {
  status: 'pending',
  verifiedAt: null,
  statusSince: start,
  vouched: false,
  failingSince: null,
};
const verified: Standing = { ...pending, status: 'verified', verifiedAt: start };

describe('verdictOf', () => {
  const key = { id: '', domainId: null, publicKey: '', createdAt: start, retiredAt: null } as const;
  const keys = [
    { ...key, selector: 'one', state: 'active' },
    { ...key, selector: 'two', state: 'pending' },
  ] as const;
  const records = recordsOf({ name: 'acme.test', ownershipToken: 't' }, keys, 'platform.example');
  const all: Findings = Object.fromEntries(records.map((record) => [record.key, finding('verified')]));

  function finding(status: RecordStatus, failure: string | null = null): Finding {
    return { status, failure, found: [], message: null };
  }

  test('passes when all that is required was seen', () => {
    expect(verdictOf(records, all)).toBe('passed');
    expect(verdictOf(records, { ...all, dmarc: finding('missing'), 'dkim two': finding('missing') })).toBe('passed');
  });

  test.each(['ownership', 'dkim one', 'spf', 'return_path_mx'])('fails when %s is missing or wrong', (record) => {
    for (const status of ['missing', 'wrong'] as const)
      expect(verdictOf(records, { ...all, [record]: finding(status) })).toBe('failed');
  });

  test('knows nothing when a record could not be asked for, or was not', () => {
    for (const status of ['verified', 'missing', 'pending'] as const)
      expect(verdictOf(records, { ...all, spf: finding(status, 'SERVFAIL') })).toBe('unknown');
    const { spf: _left, ...rest } = all;
    expect(verdictOf(records, rest)).toBe('unknown');
  });

  test('fails when one record is gone, even if another could not be asked for', () => {
    expect(verdictOf(records, { ...all, spf: finding('verified', 'SERVFAIL'), ownership: finding('missing') })).toBe(
      'failed',
    );
  });
});

describe('standingAfter', () => {
  test('verifies what passes, and keeps the time when it passes again', () => {
    const first = standingAfter(pending, 'passed', later(1));
    expect(first).toEqual({
      standing: { ...verified, verifiedAt: later(1), statusSince: later(1) },
      event: 'verified',
    });
    expect(standingAfter(first.standing, 'passed', later(2))).toEqual({ standing: first.standing, event: null });
  });

  test('withdraws after two failed checks a day apart, not before', () => {
    const once = standingAfter(verified, 'failed', later(0));
    expect(once).toEqual({ standing: { ...verified, failingSince: later(0) }, event: null });
    expect(standingAfter(once.standing, 'failed', later(23.9))).toEqual({ standing: once.standing, event: null });
    expect(standingAfter(once.standing, 'failed', later(24))).toEqual({
      standing: { ...verified, status: 'withdrawn', statusSince: later(24) },
      event: 'withdrawn',
    });
  });

  test('forgets a failed check after a good one', () => {
    const once = standingAfter(verified, 'failed', later(0)).standing;
    const good = standingAfter(once, 'passed', later(12)).standing;
    expect(good.failingSince).toBeNull();
    expect(standingAfter(good, 'failed', later(25)).event).toBeNull();
  });

  test('takes a check without an answer neither for nor against', () => {
    for (const standing of [pending, verified, { ...verified, failingSince: start }])
      expect(standingAfter(standing, 'unknown', later(48))).toEqual({ standing, event: null });
  });

  test('verifies a withdrawn domain that proves itself again', () => {
    const withdrawn: Standing = { ...verified, status: 'withdrawn', statusSince: later(30) };
    expect(standingAfter(withdrawn, 'passed', later(40))).toEqual({
      standing: { ...verified, verifiedAt: later(40), statusSince: later(40) },
      event: 'verified',
    });
    expect(standingAfter(withdrawn, 'failed', later(40))).toEqual({ standing: withdrawn, event: null });
  });

  test('keeps what the operator vouches for until DNS proves it, and then goes by DNS', () => {
    const vouched = { ...verified, vouched: true };
    expect(standingAfter(vouched, 'failed', later(1))).toEqual({ standing: vouched, event: null });
    expect(standingAfter(vouched, 'passed', later(2))).toEqual({ standing: verified, event: null });
  });
});
