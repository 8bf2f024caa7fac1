import { evaluateDmarc } from '../../src/domains/dmarc-record.js';

describe('evaluateDmarc', () => {
  test.each([
    [['v=DMARC1; p=none']],
    [['v = DMARC1;p=Reject; rua=mailto:a@b.example;']],
    [['site-verification=1', 'v=DMARC1; p=quarantine']],
    [['v=dmarc1; p=none', 'v=DMARC1; p=none']],
    [['v=DMARC1; p=monitor; rua=mailto:a@b.example']],
    [['v=DMARC1; rua=none, mailto:a@b.example!10m']],
    [['v=DMARC1; p=; rua=https://b.example/dmarc']],
  ])('accepts %j', (values) => {
    expect(evaluateDmarc(values)).toEqual({ status: 'verified', message: null });
  });

  test.each([
    [['v=dmarc1; p=none'], 'begin with exactly v=DMARC1'],
    [['V=DMARC1; p=none'], 'begin with exactly v=DMARC1'],
    [[' v=DMARC1; p=none'], 'begin with exactly v=DMARC1'],
    [['p=none; v=DMARC1'], 'begin with exactly v=DMARC1'],
    [['"v=DMARC1; p=none"'], 'without quotes'],
    [["'v=DMARC1; p=none'"], 'without quotes'],
    [['v=DMARC1\\; p=none'], 'without backslashes'],
    [['v=DMARC1 p=none'], 'without a semicolon after v=DMARC1'],
    [['v=DMARC1, p=none'], 'without a semicolon after v=DMARC1'],
    [['DMARC1; p=none'], 'begin with exactly v=DMARC1'],
    [['v=DMARC1; p=none; p=reject'], 'p= tag appears twice'],
    [['v=DMARC1; rua='], 'none, quarantine or reject'],
    [['v=DMARC1; p=monitor; rua=mailto:'], 'none, quarantine or reject'],
    [['v=DMARC1; p=monitor; rua=a@b.example'], 'none, quarantine or reject'],
    [['v=DMARC1; p=monitor; ruf=mailto:a@b.example'], 'none, quarantine or reject'],
    [['v=DMARC1; P=none'], 'none, quarantine or reject'],
    [['v=DMARC1; none'], 'not a tag of the form'],
    [['v=DMARC1; p=none', 'v=DMARC1; p=none'], '2 DMARC records'],
  ])('refuses %j', (values, message) => {
    expect(evaluateDmarc(values)).toEqual({ status: 'wrong', message: expect.stringContaining(message) });
  });

  test('ignores TXT values that are not records', () => {
    expect(evaluateDmarc(['v=DMARC10; p=none', 'something']).status).toBe('missing');
  });
});
