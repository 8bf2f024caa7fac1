import { layOutMail } from '../lay-out-mail.js';
import { quoteAddress, quoteName } from '../quote-in-mail.js';

export type InvitationFacts = {
  readonly workspaceName: string;
  /** The address of the member who sent the invitation. */
  readonly inviter: string;
  readonly days: number;
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
};

/** The mail is sent in our name, so text that users wrote is quoted, and the subject contains none of it. */
export function invitationMail({ workspaceName, inviter, days, link }: InvitationFacts) {
  const invitation = `${quoteAddress(inviter)} invited you to a Posthorn workspace named ${quoteName(workspaceName)}. To join it, open this link within ${days} days:`;
  return layOutMail({
    subject: 'You have been invited to a workspace',
    before: [invitation],
    link: { label: 'Join the workspace', url: link },
    after: ['The link works once. If you do not know the person who invited you, ignore this email.'],
  });
}
