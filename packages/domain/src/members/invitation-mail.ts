import { quoteAddress, quoteName } from '../accounts/quote-in-mail.js';
import { escapeHtml } from '../templates/escape-html.js';

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
  const invitation = `${quoteAddress(inviter)} invited you to a Posthorn workspace that its owners call ${quoteName(workspaceName)}. To join it, open this link within ${days} days:`;
  const advice = 'The link works once. If you do not know the person who invited you, ignore this email.';
  return {
    subject: 'You have been invited to a workspace',
    text: `${invitation}

${link}

${advice}
`,
    html: `<p>${escapeHtml(invitation)}</p>
<p><a href="${link}">${link}</a></p>
<p>${advice}</p>
`,
  };
}
