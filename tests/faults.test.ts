import { TimeLimitError } from '@posthorn/testing';
import {
  expectInTime,
  expectThat,
  findFailureKind,
  listWaitFailures,
  parseIds,
  summaryLines,
  toExitCode,
  toFailure,
} from './rig/failures.js';

const held = { id: 'F1', failures: [] };
const late = { id: 'F4', failures: expectInTime(false, 'the slowest response took 9000 ms') };
const broken = { id: 'F9', failures: expectThat(false, '2 accepted emails are lost: 42,43') };
const brokenAndLate = { id: 'storm', failures: [...late.failures, ...broken.failures] };

describe('a failed fault scenario', () => {
  test('counts as a missed time limit if it was only late, and as a broken promise otherwise', () => {
    expect([held, late, broken].map(findFailureKind)).toEqual([null, 'missed time limit', 'broken promise']);
  });

  test('counts as a broken promise if any of its failures is one', () => {
    expect(findFailureKind(brokenAndLate)).toBe('broken promise');
  });

  test('counts as a missed time limit if it gave up waiting, and as a broken promise if it threw another error', () => {
    expect(toFailure(new TimeLimitError('Gave up after waiting 120 s'))).toEqual({
      kind: 'missed time limit',
      sentence: 'Gave up after waiting 120 s',
    });
    expect(toFailure(new TypeError('not a function'))).toMatchObject({ kind: 'broken promise' });
    expect(toFailure('text')).toEqual({ kind: 'broken promise', sentence: 'text' });
  });
});

describe('waiting for emails to settle', () => {
  const missed = () => Promise.reject(new TimeLimitError('Gave up after waiting 120 s'));

  test('reports a missed time limit if the emails settle during a second wait', async () => {
    const waits = [missed, () => Promise.resolve()];
    expect(await listWaitFailures(() => waits.shift()?.() ?? missed())).toEqual([
      { kind: 'missed time limit', sentence: 'Gave up after waiting 120 s' },
    ]);
  });

  test('reports a broken promise if the emails never settle, and no failure if they settle in time', async () => {
    expect(await listWaitFailures(missed)).toEqual([
      { kind: 'broken promise', sentence: 'Gave up after waiting 120 s, twice in a row' },
    ]);
    expect(await listWaitFailures(() => Promise.resolve())).toEqual([]);
  });
});

describe('a fault run', () => {
  test.each([
    ['0 if every scenario held', [held], 0],
    ['1 if a scenario broke a promise', [held, broken], 1],
    ['1 if one scenario broke a promise and another missed a time limit', [late, broken], 1],
    ['1 if a scenario broke a promise and missed a time limit', [brokenAndLate], 1],
    ['3 if scenarios only missed time limits', [held, late], 3],
    ['1 if no scenario ran', [], 1],
  ])('exits with %s', (_, results, exitCode) => {
    expect(toExitCode(results)).toBe(exitCode);
  });

  test('ends with the ids of the failed scenarios, by kind of failure', () => {
    expect(summaryLines([held, late, broken, brokenAndLate])).toEqual([
      '1 scenario held, 2 broke a promise, 1 missed a time limit',
      'broken promise: F9, storm',
      'missed time limit: F4',
    ]);
    expect(summaryLines([held, held])).toEqual(['2 scenarios held, 0 broke a promise, 0 missed a time limit']);
  });

  test('accepts ids exactly as its summary prints them', () => {
    expect(parseIds(['F9, storm'])).toEqual(['F9', 'storm']);
    expect(parseIds(['F9,', 'storm'])).toEqual(['F9', 'storm']);
    expect(parseIds(['F9,storm'])).toEqual(['F9', 'storm']);
    expect(parseIds([''])).toEqual([]);
  });
});
