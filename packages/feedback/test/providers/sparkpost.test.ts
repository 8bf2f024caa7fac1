import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('sparkpost');

  test('have our key, the reply and the time', () => {
    expect(readSample('sparkpost', 'a batch of all kinds')[3]).toMatchObject({
      name: 'bounce/10',
      key: 'k.ey-1_x',
      code: 550,
      text: '550 5.1.1 no such user',
      occurredAt: new Date('2026-11-28T09:00:13Z'),
    });
  });

  test('have an id each', () => {
    const ids = readSample('sparkpost', 'a batch of all kinds').map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  const read = (facts: object) => readEvents('sparkpost', [{ msys: { message_event: facts } }])[0];

  test.each([
    ['10', '', 'bad_mailbox', true],
    ['10', '550 5.7.1 blocked using spamhaus', 'reputation', false],
    ['30', '', 'unknown', false],
    ['30', '550 5.1.1 user unknown', 'bad_mailbox', true],
    ['1', '550 5.1.1 user unknown', 'unknown', false],
    ['21', '550 5.4.4 no such domain', 'bad_domain', false],
    ['22', '', 'mailbox_full', false],
    ['50', '550 refused', 'reputation', false],
    ['52', '550 5.1.1 user unknown', 'content', false],
  ])('a bounce of class %s with "%s": %s', (bounce_class, reason, bounceClass, maySuppress) => {
    expect(read({ type: 'bounce', bounce_class, reason })).toMatchObject({ bounceClass, maySuppress });
  });

  test.each(['60', '80', '90', '100', '999', ''])(
    'a reply by mail or an unknown class changes nothing: %s',
    (bounce_class) => {
      expect(read({ type: 'out_of_band', bounce_class, reason: '550 5.1.1 user unknown' })?.kind).toBe('ignored');
    },
  );

  test.each([
    [
      { type: 'bounce', bounce_class: '25', reason: '554 5.7.1 suppressed' },
      { kind: 'held', list: 'other' },
    ],
    [
      { type: 'bounce', bounce_class: '25', reason: '550 Unconfigured Sending Domain' },
      { kind: 'refused', about: 'sender' },
    ],
    [
      { type: 'policy_rejection', reason: '550 5.7.1 no' },
      { kind: 'refused', about: 'relay' },
    ],
    [
      { type: 'generation_failure', reason: 'substitution failed' },
      { kind: 'refused', about: 'message' },
    ],
    [{ type: 'spam_complaint', fbtype: 'not-spam' }, { kind: 'ignored' }],
    [{ type: 'link_unsubscribe' }, { kind: 'unsubscribed', maySuppress: true }],
  ])('%p', (facts, expected) => {
    expect(read(facts)).toMatchObject(expected);
  });
});
