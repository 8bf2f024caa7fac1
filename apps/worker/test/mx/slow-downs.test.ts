import { findRefusedPart, parseReply, type RefusedPart } from '@posthorn/feedback';
import { findSlowDown, findSlowDownRule, type SlowDownKind, slowDownRules } from '../../src/mx/slow-downs.js';
import { findNamedDelay } from '../../src/smtp/named-delay.js';

const samples = slowDownRules.flatMap((rule, index) => rule.samples.map((sample) => [sample, rule, index] as const));

/** The reply as the worker reads it: the codes of the first line, and the text of all. */
function toReply(printed: string) {
  return { code: Number(printed.slice(0, 3)), text: printed.slice(4) };
}

test.each(samples)('a reply is matched by its rule and by no earlier one: %s', (sample, rule, index) => {
  const found = findSlowDownRule(toReply(sample));
  expect(found && slowDownRules.indexOf(found)).toBe(index);
  expect(findSlowDown(toReply(sample))?.kind).toBe(rule.kind);
});

/**
 * What the table of refusals may say about a reply without contradicting this one. Null means that it does not know. A
 * site that slows us down may say that it blocks us for now.
 */
const AGREEING: Readonly<Record<SlowDownKind, ReadonlyArray<RefusedPart | null>>> = {
  site_rate: [null, 'rate', 'blocked'],
  too_many_connections: [null, 'rate'],
  mailbox_rate: [null],
  source_refused: [null, 'blocked'],
};

test.each(samples)('the table of refusals does not contradict it: %s', (sample, { kind }) => {
  expect(AGREEING[kind]).toContain(findRefusedPart(parseReply(sample)));
});

test.each([
  '554 5.7.1 <jane@example.net>: Relay access denied',
  '550 5.4.5 Daily user sending limit exceeded.',
  '454 Throttling failure: Daily message quota exceeded.',
  '530 Authentication required',
  '535 5.7.8 Error: authentication failed',
  '452 4.5.3 Error: too many recipients',
  '550 5.5.3 Too many recipients',
  '554 Message rejected: Sending paused for this account.',
  '550 5.7.1 Your account has been suspended',
  '550 The from address does not match a verified Sender Identity.',
  '552 5.3.4 Message size exceeds fixed limit',
  '550 5.7.1 Duplicate header: From',
  '550 5.1.1 <jane@example.net>: Recipient address rejected: User unknown',
  '552 5.2.2 The email account that you tried to reach is over quota.',
  '450 4.1.8 <me@example.com>: Sender address rejected: Domain not found',
  '451 4.3.0 Temporary lookup failure',
  '421 4.4.2 mx.example.net Error: timeout exceeded',
  '421 Max message per connection reached, closing transmission channel',
  '554 5.7.1 Message contains a URL listed at SURBL',
  '554 5.7.1 Message rejected as spam by Content Filtering.',
  '550 5.7.26 This mail has been blocked because the sender is unauthenticated.',
  '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
  '550 Recipient has blocked you',
  '550 <jane@host.example>: Recipient address rejected: Access denied',
  '550 5.2.1 mailbox jane12 blocked',
  '550 jane is not on the list of this host',
  '554 5.7.1 Message rejected by filter.example.net',
])('another refusal slows nothing down: %s', (sample) => {
  expect(findSlowDown(toReply(sample))).toBeNull();
});

test.each([
  ['454 Throttling failure: Maximum sending rate exceeded.', 'site_rate'],
  ['432 4.3.2 Concurrent connections limit exceeded.', 'too_many_connections'],
  ['450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.40]', 'source_refused'],
  ['554-No SMTP service 554 Bad DNS PTR resource record.', 'source_refused'],
  ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'source_refused'],
  ['550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'source_refused'],
  ['550 192.0.2.1 is listed at bl.spamcop.net', 'source_refused'],
])('what the table of refusals calls our rate or our address slows us down: %s', (sample, kind) => {
  expect(['rate', 'blocked']).toContain(findRefusedPart(parseReply(sample)));
  expect(findSlowDown(toReply(sample))?.kind).toBe(kind);
});

test('only a refusal slows us down', () => {
  expect(findSlowDown({ code: 250, text: '2.0.0 OK, but slow down' })).toBeNull();
  expect(findSlowDown({ code: null, text: 'too many connections' })).toBeNull();
});

test.each([
  ['Greylisted, please try again in 300 seconds', 300],
  ['Greylisting in action, please come back in 00:05:00', 300],
  ['Greylisted for 5 minutes', 300],
  ['Greylisted for 4m', 240],
  ['Too many messages. Retry after 120 sec', 120],
  ['Please wait at least 15 mins', 900],
  ['Throttled, try again in about 1 hour', 3_600],
  ['rate limited for 30s', 30],
  ['try again in 400 hours', 86_400],
  ['try again later', null],
  ['100 messages in 60 minutes exceeded; try again later', null],
  ['Try again later. The limit is 100 in 60 minutes', null],
  ['please try again in 0 seconds', null],
  ['try again in 10 messages', null],
])('the delay that "%s" names is %s seconds', (text, seconds) => {
  expect(findNamedDelay(text)).toBe(seconds);
});

test('the delay comes with the kind', () => {
  expect(findSlowDown({ code: 451, text: '4.7.1 You are sending too many mails. Try again in 15 minutes.' })).toEqual({
    kind: 'site_rate',
    delaySeconds: 900,
  });
});
