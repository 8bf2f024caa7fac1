import { layOutMail } from './lay-out-mail.js';

export type VerificationMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  readonly hours: number;
};

/** The mail contains no text from users, because anyone can enter any address when they sign up. */
export function verificationMail({ link, hours }: VerificationMailFacts) {
  return layOutMail({
    subject: 'Confirm your email address',
    before: [
      `Someone created a Posthorn account with this email address. If it was you, open this link within ${hours} hours and confirm the address:`,
    ],
    link: { label: 'Confirm the address', url: link },
    after: [
      'If it was not you, do not confirm the address. Open the link and select “I did not sign up” to delete the account, or ignore this email. Until the address is confirmed, the account can send email to this address only.',
    ],
  });
}
