import { layOutMail } from './lay-out-mail.js';

export type ResetMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  /** Whether using the link is the first proof that the account belongs to the owner of the address. */
  readonly removesAccess: boolean;
};

const REMOVES_ACCESS =
  'The address of this account has not been confirmed yet. Setting a new password confirms it, and removes API keys, members and invitations that were added earlier.';

export function resetMail({ link, removesAccess }: ResetMailFacts) {
  return layOutMail({
    subject: 'Reset your password',
    before: [
      'We received a request to reset the password of your Posthorn account. To set a new password, open this link within one hour:',
    ],
    link: { label: 'Set a new password', url: link },
    after: [
      ...(removesAccess ? [REMOVES_ACCESS] : []),
      'The link works once. If you did not request it, ignore this email. Your password will not change.',
    ],
  });
}
