import type { RecipientStatus } from '@posthorn/contract';
import { decideChanges, type ReportedEmail } from '../../src/bounces/decide-changes.js';
import type { InterpretedReport, RecipientReport } from '../../src/bounces/interpret-report.js';

const EMAIL_ID = '019a0000-0000-7000-8000-000000000001';

function emailTo(...recipients: ReadonlyArray<[address: string, status: RecipientStatus]>): ReportedEmail {
  return {
    id: EMAIL_ID,
    status: 'sent',
    lastSequence: 2,
    complaints: [],
    unsubscribed: [],
    recipients: recipients.map(([address, status], position) => ({ address, status, position, relayId: null })),
  };
}

let reports = 0;

function report(positions: readonly number[], ...recipients: RecipientReport[]): InterpretedReport {
  reports += 1;
  const envelope = { emailId: EMAIL_ID, positions };
  return { id: `report ${reports}`, tries: 1, mailbox: null, kind: 'dsn', envelope, recipients };
}

function says(event: RecipientReport['event'], ...addresses: string[]): RecipientReport {
  const bounceClass = event === 'bounced' ? 'bad_mailbox' : null;
  return { event, addresses, code: 550, text: 'No', bounceClass, isUncertain: false, isAuthenticated: false };
}

function decide(email: ReportedEmail, ...all: InterpretedReport[]) {
  const changes = decideChanges(email, all);
  return {
    ...changes,
    recipients: changes.recipients.map(({ address, from, to, event }) => [address, from, to, event]),
    reported: changes.reported.map(({ address, event }) => [address, event]),
    results: [...changes.results.values()],
  };
}

describe('one recipient in the envelope', () => {
  const jane = emailTo(['jane@example.com', 'sent']);

  test('is the one that the report is about, whatever address it names', () => {
    expect(decide(jane, report([0], says('bounced', 'jane.private@other.example')))).toMatchObject({
      status: 'bounced',
      recipients: [['jane@example.com', 'sent', 'bounced', 'bounced']],
    });
  });

  test('that is a mailing list does not bounce with one of its members', () => {
    const expanded = report([0], says('delivered', 'Jane@example.com'), says('bounced', 'member@other.example'));
    expect(decide(jane, expanded)).toMatchObject({
      status: 'delivered',
      reported: [['jane@example.com', 'delivered']],
      results: ['applied'],
    });
  });

  test('that is named thousands of times gets one event', () => {
    const flood = report([0], ...Array.from({ length: 10_000 }, () => says('deferred', 'jane@example.com')));
    expect(decide(jane, flood).recipients).toEqual([['jane@example.com', 'sent', 'sent', 'deferred']]);
  });

  test('that has a thousand events gets no more about delays, but still bounces', () => {
    const old = { ...jane, lastSequence: 1_000 };
    const deferred = report([0], says('deferred', 'jane@example.com'));
    expect(decide(old, deferred)).toMatchObject({ recipients: [], results: ['nothing_new'] });
    expect(decide(old, report([0], says('bounced', 'jane@example.com')))).toMatchObject({ status: 'bounced' });
  });
});

describe('several recipients in the envelope', () => {
  const both = emailTo(['a@example.com', 'sent'], ['b@example.com', 'sent']);

  test('each is found by its address', () => {
    expect(decide(both, report([0, 1], says('bounced', 'x@example.com', 'B@Example.com')))).toMatchObject({
      status: 'sent',
      recipients: [['b@example.com', 'sent', 'bounced', 'bounced']],
    });
  });

  test('an address outside the envelope is unknown, even if the email has it', () => {
    const three = emailTo(['a@example.com', 'sent'], ['b@example.com', 'sent'], ['c@example.com', 'sent']);
    expect(decide(three, report([0, 1], says('bounced', 'c@example.com')))).toMatchObject({
      recipients: [],
      results: ['unknown_recipient'],
    });
  });

  test('the email stays as it is while another recipient waits', () => {
    const waiting = {
      ...emailTo(['a@example.com', 'sent'], ['b@example.com', 'deferred']),
      status: 'deferred',
    } as const;
    expect(decide(waiting, report([0], says('bounced', 'a@example.com')))).toMatchObject({
      status: 'deferred',
      isFinished: false,
      recipients: [['a@example.com', 'sent', 'bounced', 'bounced']],
    });
  });

  test('a report about the recipient that waits ends its wait', () => {
    const waiting = {
      ...emailTo(['a@example.com', 'sent'], ['b@example.com', 'deferred']),
      status: 'deferred',
    } as const;
    expect(decide(waiting, report([1], says('bounced', 'b@example.com')))).toMatchObject({
      status: 'sent',
      isFinished: true,
      recipients: [['b@example.com', 'deferred', 'bounced', 'bounced']],
    });
  });

  test('a complaint that hides who complained is recorded once, about nobody', () => {
    const hidden = () => report([0, 1], says('complained', 'redacted@provider.example'));
    const first = decide(both, hidden(), hidden());
    expect(first).toMatchObject({ status: 'sent', recipients: [], reported: [] });
    expect(first.unattributedComplaint).toMatchObject({ event: 'complained' });
    expect(first.results).toEqual(['applied', 'unknown_recipient']);
    const next = decide({ ...both, complaints: [{ recipient: null, isAuthenticated: false }] }, hidden());
    expect(next).toMatchObject({ unattributedComplaint: null, results: ['unknown_recipient'] });
  });
});

test('a bounce after a confirmed delivery changes nothing, and does not suppress', () => {
  const email = emailTo(['jane@example.com', 'delivered']);
  expect(decide(email, report([0], says('bounced', 'jane@example.com')))).toMatchObject({
    recipients: [],
    reported: [],
    results: ['nothing_new'],
  });
});

test('a complaint is not overwritten by a bounce, a delivery or a delay', () => {
  const email = emailTo(['jane@example.com', 'sent']);
  const all = (['complained', 'bounced', 'delivered', 'deferred'] as const).map((event) =>
    report([0], says(event, 'jane@example.com')),
  );
  expect(decide(email, ...all)).toMatchObject({
    status: 'complained',
    results: ['applied', 'nothing_new', 'nothing_new', 'nothing_new'],
  });
});

describe('a complaint that a mailbox provider has signed', () => {
  const jane = emailTo(['jane@example.com', 'sent']);
  const signed = (...addresses: string[]) => ({ ...says('complained', ...addresses), isAuthenticated: true });

  test('is recorded after one that anybody could have written, and only once', () => {
    const forged = report([0], says('complained', 'jane@example.com'));
    const reports = [forged, report([0], signed()), report([0], signed())];
    expect(decide(jane, ...reports)).toMatchObject({
      status: 'complained',
      recipients: [
        ['jane@example.com', 'sent', 'complained', 'complained'],
        ['jane@example.com', 'complained', 'complained', 'complained'],
      ],
      results: ['applied', 'applied', 'nothing_new'],
    });
    const complained = {
      ...emailTo(['jane@example.com', 'complained']),
      complaints: [{ recipient: 'jane@example.com', isAuthenticated: true }],
    };
    expect(decide(complained, report([0], signed()))).toMatchObject({ recipients: [], results: ['nothing_new'] });
  });

  test('that hides who complained is recorded after a forged one, and only once', () => {
    const both = emailTo(['a@example.com', 'sent'], ['b@example.com', 'sent']);
    const forged = { ...both, complaints: [{ recipient: null, isAuthenticated: false }] };
    expect(decide(forged, report([0, 1], signed())).unattributedComplaint).toMatchObject({ isAuthenticated: true });
    const known = { ...both, complaints: [...forged.complaints, { recipient: null, isAuthenticated: true }] };
    expect(decide(known, report([0, 1], signed())).unattributedComplaint).toBeNull();
  });
});

describe('an event of the provider of a relay', () => {
  const RELAY = '019a0000-0000-7000-8000-00000000000a';
  const OTHER = '019a0000-0000-7000-8000-00000000000b';
  const taken = (email: ReportedEmail, ...relays: string[]): ReportedEmail => ({
    ...email,
    recipients: email.recipients.map((recipient, index) => ({ ...recipient, relayId: relays[index] ?? RELAY })),
  });
  const both = taken(emailTo(['a@example.com', 'sent'], ['b@example.com', 'sent']));

  const event = (positions: readonly number[], isSure: boolean, said: RecipientReport): InterpretedReport => ({
    ...report(positions, { ...said, isAuthenticated: true, provider: { isSure, maySuppress: true, occurredAt: null } }),
    kind: 'provider_event',
    provider: { relayId: RELAY, feedback: 'ses', mayComeLater: true },
  });

  test('is about the recipients that it names, and nobody else', () => {
    expect(decide(both, event([0, 1], true, says('bounced', 'B@example.com'))).recipients).toEqual([
      ['b@example.com', 'sent', 'bounced', 'bounced'],
    ]);
    expect(decide(both, event([0], true, says('bounced', 'x@example.com')))).toMatchObject({
      recipients: [],
      results: ['unknown_recipient'],
    });
    expect(decide(both, event([1], true, says('delivered'))).recipients).toEqual([
      ['b@example.com', 'sent', 'delivered', 'delivered'],
    ]);
  });

  test('that lists suspects is noted at the email if several of them are recipients', () => {
    const suspects = event([0, 1], false, says('complained', 'a@example.com', 'b@example.com'));
    expect(decide(both, suspects)).toMatchObject({ recipients: [], reported: [], results: ['applied'] });
    expect(decide(both, suspects).unattributedComplaint).not.toBeNull();
    const one = event([0, 1], false, says('complained', 'a@example.com', 'c@example.com'));
    expect(decide(both, one).recipients).toEqual([['a@example.com', 'sent', 'complained', 'complained']]);
    const others = event([0, 1], false, says('complained', 'c@example.com', 'd@example.com'));
    expect(decide(both, others)).toMatchObject({ unattributedComplaint: null, results: ['unknown_recipient'] });
  });

  test('says nothing about mail that went by another relay', () => {
    const mixed = taken(both, RELAY, OTHER);
    expect(decide(mixed, event([0, 1], true, says('bounced', 'b@example.com'))).results).toEqual(['unknown_recipient']);
    expect(decide(mixed, event([0, 1], true, says('bounced', 'a@example.com'))).results).toEqual(['applied']);
  });

  test.each<[RecipientStatus, RecipientReport['event'], RecipientStatus | null]>([
    ['sent', 'failed', 'failed'],
    ['deferred', 'failed', 'failed'],
    ['delivered', 'failed', null],
    ['delivered', 'bounced', 'bounced'],
    ['bounced', 'delivered', null],
    ['failed', 'bounced', null],
    ['deferred', 'deferred', 'sent'],
    ['delivered', 'deferred', 'delivered'],
    ['complained', 'deferred', null],
    ['sent', 'unsubscribed', 'sent'],
  ])('after %s, %s leads to %s', (from, what, to) => {
    const jane = taken(emailTo(['jane@example.com', from]));
    const { recipients } = decide(jane, event([0], true, says(what, 'jane@example.com')));
    expect(recipients.map(([, , status]) => status)).toEqual(to === null ? [] : [to]);
  });

  test('about someone who has left already adds no event', () => {
    const left = { ...taken(emailTo(['jane@example.com', 'sent'])), unsubscribed: ['jane@example.com'] };
    expect(decide(left, event([0], true, says('unsubscribed', 'jane@example.com'))).recipients).toEqual([]);
  });
});
