import { providers } from '../../src/providers/index.js';
import { readEvents, readSample, testSamples } from './samples.js';

describe('events', () => {
  testSamples('ses');

  test('have the ids, the reply and the time', () => {
    expect(readSample('ses', 'bounce-event')[0]).toMatchObject({
      name: 'Bounce/Permanent/General',
      key: null,
      providerId: 'PID',
      messageId: 'm1@shop.example',
      code: 550,
      text: 'smtp; 550 5.1.1 no such mailbox here',
      occurredAt: new Date('2026-11-28T09:00:09Z'),
    });
    expect(readSample('ses', 'delay')[0]).toMatchObject({ code: 421 });
    expect(readSample('ses', 'suppressed-global')[0]?.advice).toMatch(/global suppression list of Amazon SES/);
  });

  const read = (event: object, envelope = {}) =>
    readEvents('ses', { Type: 'Notification', MessageId: 'sns-1', Message: JSON.stringify(event), ...envelope });
  const bounce = (type: string, recipient: object = {}) => {
    const [bounceType, bounceSubType] = type.split('/');
    return read({ eventType: 'Bounce', bounce: { bounceType, bounceSubType, bouncedRecipients: [recipient] } })[0];
  };

  test('have our key if the message has our header', () => {
    const headers = [null, { name: 'x-posthorn-id', value: 'k.ey-1_x' }];
    expect(read({ eventType: 'Delivery', mail: { headers } })[0]?.key).toBe('k.ey-1_x');
  });

  test('have an id each, which is the same when SNS repeats or SES publishes them twice', () => {
    const names = ['bounce-event', 'delivery-event', 'complaint-one', 'delay', 'open'];
    const ids = names.map((name) => readSample('ses', name)[0]?.eventId);
    expect(new Set(ids).size).toBe(names.length);
    const event = { eventType: 'Complaint', complaint: { feedbackId: 'f-1' } };
    expect(read(event)).toEqual(read(event, { MessageId: 'sns-2' }));
  });

  test('one for each recipient that bounced, with the reply to each', () => {
    const bouncedRecipients = [
      { emailAddress: 'Jane <Jane@inbox.example>', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
      { emailAddress: '"joe"@inbox.example', diagnosticCode: 'smtp; 550 5.7.1 blocked using spamhaus' },
    ];
    expect(read({ eventType: 'Bounce', bounce: { bounceType: 'Permanent', bouncedRecipients } })).toMatchObject([
      { addresses: ['jane@inbox.example'], bounceClass: 'bad_mailbox', maySuppress: true },
      { addresses: ['joe@inbox.example'], bounceClass: 'reputation', maySuppress: false },
    ]);
  });

  test.each([
    ['Permanent/NoEmail', {}, 'bad_mailbox', true],
    ['Permanent/General', {}, 'unknown', false],
    ['Permanent/General', { status: '5.0.0' }, 'unknown', false],
    ['Permanent/NoEmail', { diagnosticCode: 'smtp; 550 5.7.1 blocked using spamhaus' }, 'reputation', false],
    ['Transient/General', { diagnosticCode: 'smtp; 550 5.1.1 user unknown' }, 'unknown', false],
    ['Transient/AttachmentRejected', {}, 'content', false],
    ['Undetermined/Undetermined', { diagnosticCode: 'smtp; 550 5.1.1 user unknown' }, 'unknown', false],
  ])('%s %p: %s', (type, recipient, bounceClass, maySuppress) => {
    expect(bounce(type, recipient)).toMatchObject({ kind: 'bounced', bounceClass, maySuppress });
  });

  test('of unknown types of bounces change nothing', () => {
    expect(bounce('New/General')).toMatchObject({ kind: 'ignored' });
    expect(bounce('Permanent/UnsubscribedRecipient')).toMatchObject({ kind: 'held', list: 'unsubscribes' });
  });

  test.each([
    ['abuse', 'complained'],
    [null, 'complained'],
    ['something new', 'complained'],
    ['auth-failure', 'ignored'],
    ['virus', 'ignored'],
  ])('a complaint of type %s is %s', (complaintFeedbackType, kind) => {
    expect(read({ eventType: 'Complaint', complaint: { complaintFeedbackType } })[0]).toMatchObject({ kind });
  });
});

test('needs no secret', () => {
  expect(providers.ses.findSecretFault('any')).toMatch(/Leave it out/);
});
