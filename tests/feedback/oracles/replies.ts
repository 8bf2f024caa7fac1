import type { BounceClass } from '@posthorn/contract';

/** What a mail server said about a recipient, and the class that is right for it. */
export type Reply = {
  readonly name: string;
  readonly code: number;
  readonly enhanced: string;
  /** What follows the two codes. */
  readonly text: string;
  readonly class: BounceClass;
};

/** Replies of common servers, at least one of each class. */
export const replies: readonly [Reply, ...Reply[]] = [
  {
    name: 'user-unknown',
    code: 550,
    enhanced: '5.1.1',
    text: 'User unknown in virtual mailbox table',
    class: 'bad_mailbox',
  },
  {
    name: 'no-such-user',
    code: 550,
    enhanced: '5.1.1',
    text: 'The email account that you tried to reach does not exist.',
    class: 'bad_mailbox',
  },
  { name: 'address-rejected', code: 550, enhanced: '5.1.0', text: 'Address rejected.', class: 'bad_mailbox' },
  { name: 'disabled', code: 550, enhanced: '5.2.1', text: 'This account has been disabled', class: 'inactive' },
  { name: 'over-quota', code: 552, enhanced: '5.2.2', text: 'Mailbox full, over quota', class: 'mailbox_full' },
  {
    name: 'bad-domain',
    code: 550,
    enhanced: '5.1.2',
    text: 'Host unknown (Name server: example.net: host not found)',
    class: 'bad_domain',
  },
  { name: 'too-large', code: 552, enhanced: '5.3.4', text: 'Message size exceeds fixed limit', class: 'content' },
  {
    name: 'spam',
    code: 554,
    enhanced: '5.7.1',
    text: 'Message rejected as spam by content filtering',
    class: 'content',
  },
  {
    name: 'blocklist',
    code: 554,
    enhanced: '5.7.1',
    text: 'Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    class: 'reputation',
  },
  {
    name: 'spf',
    code: 550,
    enhanced: '5.7.23',
    text: 'SPF check failed: 192.0.2.1 is not allowed to send for example.com',
    class: 'authentication',
  },
  {
    name: 'sender-unknown',
    code: 550,
    enhanced: '5.1.8',
    text: 'Sender address rejected: Domain not found',
    class: 'authentication',
  },
  {
    name: 'policy-unavailable',
    code: 550,
    enhanced: '5.0.0',
    text: 'Requested action not taken: mailbox unavailable. Reject due to policy restrictions.',
    class: 'reputation',
  },
  { name: 'syntax', code: 501, enhanced: '5.5.4', text: 'Syntax error in parameters or arguments', class: 'protocol' },
];

/** A reply that the reporting server met while it still tries. */
export const delayReply: Reply = {
  name: 'try-later',
  code: 451,
  enhanced: '4.7.1',
  text: 'Greylisted, please try again later',
  class: 'rate',
};

/** No server said it, so the report of a recipient whose server did not answer has no reply. */
export const timeout: Reply = {
  name: 'timed-out',
  code: 450,
  enhanced: '4.4.1',
  text: 'Connection timed out',
  class: 'unknown',
};
