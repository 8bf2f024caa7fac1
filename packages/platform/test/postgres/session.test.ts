import { findMissingSettings, SESSION_SETTINGS } from '../../src/postgres/session.js';

const ours = Object.entries(SESSION_SETTINGS).map(([name, value]) => [name, String(value)] as const);

const missingWith = (name: string, value: string) => findMissingSettings(new Map([...ours, [name, value]]));

describe('findMissingSettings', () => {
  test('accepts our own settings, shorter time limits, and more messages', () => {
    expect(findMissingSettings(new Map(ours))).toEqual([]);
    expect(missingWith('statement_timeout', '1000')).toEqual([]);
    expect(missingWith('client_min_messages', 'notice')).toEqual([]);
  });

  test.each([
    ['statement_timeout', '0'],
    ['lock_timeout', '2001'],
    ['idle_in_transaction_session_timeout', '60000'],
    ['enable_seqscan', 'on'],
    ['jit', 'on'],
    ['client_min_messages', 'error'],
  ])('reports %s = %s', (name, value) => {
    expect(missingWith(name, value)).toEqual([name]);
  });

  test('reports everything that is not set at all', () => {
    expect(findMissingSettings(new Map())).toEqual(Object.keys(SESSION_SETTINGS));
  });
});
