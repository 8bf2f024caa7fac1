import type { EmailStatus } from '@posthorn/contract';
import { explainEmail } from '../../src/emails/explain-email.js';

type Explained = Parameters<typeof explainEmail>[0];

const NOW = new Date('2026-11-28T13:50:00Z');
const at = (time: string) => new Date(`2026-11-${time}:00Z`);

const attempt: Explained['attempts'][number] = {
  attempt: 3,
  route: 'mx.example.net:25',
  phase: 'envelope',
  outcome: 'deferred',
  conversation: [
    'C: EHLO posthorn',
    'S: 250 mx.example.net',
    'C: MAIL FROM:<b@example.com>',
    'S: 421 4.7.28 Too fast.',
  ],
  endedAt: at('28T13:40'),
};

const explain = (status: EmailStatus, more: Partial<Explained> = {}) =>
  explainEmail(
    {
      status,
      scheduledAt: null,
      nextAttemptAt: null,
      isParked: false,
      waitsFor: null,
      expiresAt: null,
      recipients: [{ status: 'queued', smtpResponse: null }],
      attempts: [],
      events: [],
      ...more,
    },
    NOW,
  );

const waiting = { nextAttemptAt: at('28T14:05'), attempts: [attempt] };

test.each<[string, EmailStatus, Partial<Explained>, string]>([
  [
    'the reply and the time',
    'deferred',
    waiting,
    'Waiting until 14:05 UTC: mx.example.net:25 answered 421 4.7.28 Too fast. 3 attempts so far.',
  ],
  [
    'a route without relays',
    'queued',
    { waitsFor: 'no-relay:default@7' },
    'Waiting, because there is no relay left in route default. It is sent as soon as the route has one again.',
  ],
  [
    'a warm-up',
    'deferred',
    { ...waiting, waitsFor: 'warm-up:a@7' },
    'Waiting until 2026-11-29 00:00 UTC: relay a has tried as many recipients today as its warm-up allows.',
  ],
  [
    'the date of another day',
    'deferred',
    { ...waiting, nextAttemptAt: at('29T00:30') },
    'Waiting until 2026-11-29 00:30 UTC: mx.example.net:25 answered 421 4.7.28 Too fast. 3 attempts so far.',
  ],
  [
    'an attempt that is due',
    'deferred',
    { ...waiting, nextAttemptAt: at('28T13:50') },
    'Waiting for a worker: mx.example.net:25 answered 421 4.7.28 Too fast. 3 attempts so far.',
  ],
  [
    'the reply to the recipient',
    'deferred',
    { ...waiting, recipients: [{ status: 'deferred', smtpResponse: '452 4.2.2\n mailbox full' }] },
    'Waiting until 14:05 UTC: mx.example.net:25 answered 452 4.2.2 mailbox full. 3 attempts so far.',
  ],
  [
    'a connection that failed',
    'deferred',
    { ...waiting, attempts: [{ ...attempt, attempt: 1, phase: 'connect', conversation: [] }] },
    'Waiting until 14:05 UTC: mx.example.net:25 could not be used, the connection failed. 1 attempt so far.',
  ],
  [
    'that no relay can be used',
    'deferred',
    { ...waiting, attempts: [{ ...attempt, attempt: 1, route: null, phase: 'connect', conversation: [] }] },
    'Waiting until 14:05 UTC: no mail server can be used at the moment. 1 attempt so far.',
  ],
  [
    'that an attempt lost its lease',
    'deferred',
    { nextAttemptAt: at('28T13:50'), attempts: [{ ...attempt, attempt: 1, route: null, conversation: [] }] },
    'Waiting for a worker: the last attempt was interrupted. 1 attempt so far.',
  ],
  [
    'what could not be read',
    'deferred',
    { ...waiting, attempts: [{ ...attempt, route: null, phase: 'render' }] },
    'Waiting until 14:05 UTC: its template, an attachment or a signing key could not be read. 3 attempts so far.',
  ],
  [
    'a restore',
    'queued',
    { isParked: true },
    'Waiting for the operator: the service was restored from a backup, and this email may have been sent before.',
  ],
  [
    'the schedule',
    'scheduled',
    { scheduledAt: at('30T08:00') },
    'Scheduled for 2026-11-30 08:00 UTC. Until then, it can be canceled or rescheduled.',
  ],
  ['the attempt', 'sending', { attempts: [attempt] }, 'A worker is sending it now, in attempt 3.'],
  [
    'the server that has it',
    'sent',
    { attempts: [attempt] },
    'mx.example.net:25 took it at 13:40 UTC and is now responsible for it.',
  ],
  [
    'test mail',
    'sent',
    { attempts: [{ ...attempt, route: 'test mode' }] },
    'It counts as sent, but stayed here (test mode).',
  ],
  [
    'recipients that ended differently',
    'sent',
    {
      attempts: [attempt],
      recipients: [
        { status: 'sent', smtpResponse: null },
        { status: 'bounced', smtpResponse: null },
      ],
    },
    'mx.example.net:25 took it at 13:40 UTC and is now responsible for it. Recipients: 1 sent, 1 bounced.',
  ],
  [
    'the refusal',
    'bounced',
    { recipients: [{ status: 'bounced', smtpResponse: '550 5.1.1 No such user' }] },
    'Refused for good: 550 5.1.1 No such user. It will not be tried again.',
  ],
  [
    'the event',
    'failed',
    { events: [{ type: 'failed', detail: 'The template is gone.' }] },
    'Not sent: The template is gone. It will not be tried again.',
  ],
  ['the time it expired', 'expired', { expiresAt: at('28T13:00') }, 'Not sent, because it expired at 13:00 UTC.'],
])('says %s', (_what, status, more, expected) => {
  expect(explain(status, more)).toBe(expected);
});

test('has one line of 10 to 400 characters in every state, whatever a server says', () => {
  const smtpResponse = `550 ${'no\r\n'.repeat(300)}`;
  const states: EmailStatus[] = ['scheduled', 'queued', 'sending', 'deferred', 'sent', 'bounced', 'failed'];
  for (const status of [...states, 'expired', 'canceled', 'suppressed', 'delivered', 'complained'] as EmailStatus[]) {
    const recipients = [
      { status: 'bounced' as const, smtpResponse },
      { status: 'failed' as const, smtpResponse },
    ];
    const text = explain(status, { recipients, attempts: [{ ...attempt, conversation: [`S: ${smtpResponse}`] }] });
    expect(text.length).toBeGreaterThanOrEqual(10);
    expect(text.length).toBeLessThanOrEqual(400);
    expect(text).not.toMatch(/[\r\n]/);
  }
});
