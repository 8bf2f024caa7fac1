import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('mailjet');

  test('have our key, the reply and the time', () => {
    expect(readSample('mailjet', 'hard bounce')[0]).toMatchObject({
      name: 'bounce/user unknown',
      key: 'k.ey-1_x',
      code: 550,
      text: 'smtp;550 no such user',
      occurredAt: new Date('2026-11-28T09:00:04Z'),
    });
  });

  test.each([
    [{ error: 'user unknown', hard_bounce: true }, 'bad_mailbox', true],
    [{ error: 'user unknown', hard_bounce: false }, 'unknown', false],
    [{ error: 'no mail host', hard_bounce: true }, 'bad_domain', true],
    [{ error: 'sender blocked', hard_bounce: true, comment: 'smtp;550 5.1.1 user unknown' }, 'reputation', false],
    [{ error: 'quota exceeded', hard_bounce: false }, 'mailbox_full', false],
    [{ error: 'something new', hard_bounce: true, comment: 'smtp;550 5.1.1 user unknown' }, 'bad_mailbox', true],
    [{ error: 'something new', hard_bounce: false, comment: 'smtp;550 5.1.1 user unknown' }, 'unknown', false],
    [{ hard_bounce: true }, 'unknown', false],
  ])('a bounce with %p: %s', (facts, bounceClass, maySuppress) => {
    const [event] = readEvents('mailjet', { event: 'bounce', ...facts });
    expect(event).toMatchObject({ kind: 'bounced', bounceClass, maySuppress });
  });

  test.each([
    ['preblocked', { kind: 'held', list: 'other' }],
    ['user unknown', { kind: 'held', list: 'other' }],
    ['spam preblocked', { kind: 'refused', about: 'message', bounceClass: 'content' }],
    ['sender blocked', { kind: 'refused', about: 'blocked' }],
  ])('blocked because of "%s"', (error, expected) => {
    expect(readEvents('mailjet', { event: 'blocked', error })[0]).toMatchObject(expected);
  });

  test.each(['spam', 'open', 'click'])('%s', (event) => {
    expect(readEvents('mailjet', { event })[0]?.kind).toBe(event === 'spam' ? 'complained' : 'ignored');
  });
});
