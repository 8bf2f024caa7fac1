import type { Attempt, AttemptOutcome, Email, EmailStatus } from '@posthorn/contract';
import { isChangeable, mayBeWithServer } from '../../src/emails/email-status.js';

const buildEmail = (status: EmailStatus, ...outcomes: AttemptOutcome[]) =>
  ({ status, attempts: outcomes.map((outcome) => ({ outcome }) as Attempt) }) as Email;

describe('isChangeable', () => {
  test.each(['scheduled', 'queued', 'deferred'] as const)('allows changes to a %s email', (status) => {
    expect(isChangeable(buildEmail(status, 'route_fault', 'deferred'))).toBe(true);
  });

  test.each(['sending', 'sent', 'failed', 'canceled'] as const)('allows no changes to a %s email', (status) => {
    expect(isChangeable(buildEmail(status))).toBe(false);
  });

  test('allows no changes after an attempt whose result is unknown', () => {
    const email = buildEmail('deferred', 'ambiguous', 'deferred');
    expect(isChangeable(email)).toBe(false);
    expect(mayBeWithServer(email)).toBe(true);
  });
});

test('mayBeWithServer is false for a finished email', () => {
  expect(mayBeWithServer(buildEmail('sent', 'ambiguous', 'sent'))).toBe(false);
});
