import { buildFeedbackKey, parseFeedbackKey } from '@posthorn/domain/emails';

const EMAIL_ID = '0197f3a2-5a61-7c02-9d8e-0123456789ab';

test('a key names an email and the position of its recipient', () => {
  const key = buildFeedbackKey({ emailId: EMAIL_ID, position: 49 });
  expect(key).toBe('0197f3a25a617c029d8e0123456789ab.49');
  expect(parseFeedbackKey(key)).toEqual({ emailId: EMAIL_ID, position: 49 });
  expect(parseFeedbackKey(key.toUpperCase())).toEqual({ emailId: EMAIL_ID, position: 49 });
});

test.each([
  '',
  'order-17',
  EMAIL_ID,
  '0197f3a25a617c029d8e0123456789ab',
  '0197f3a25a617c029d8e0123456789ab.',
  '0197f3a25a617c029d8e0123456789ab.-1',
  '0197f3a25a617c029d8e0123456789ab.99999',
  'ffffffffffffffffeeeeeeeeeeeeeeee.0',
  '0197f3a25a617c029d8e0123456789ab.0\n',
])('%j of another program is no key of ours', (key) => {
  expect(parseFeedbackKey(key)).toBeNull();
});
