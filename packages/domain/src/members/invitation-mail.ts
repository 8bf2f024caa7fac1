import { escapeHtml } from '../templates/escape-html.js';

export type InvitationFacts = {
  readonly workspaceName: string;
  /** The inviting member's address. */
  readonly inviter: string;
  readonly days: number;
  /** Must have no characters that need escaping in HTML. */
  readonly link: string;
};

/** The subject has no text from users, because the mail is sent in our name. */
export function invitationMail({ workspaceName, inviter, days, link }: InvitationFacts) {
  const [name, from] = [escapeHtml(workspaceName), escapeHtml(inviter)];
  return {
    subject: 'You have been invited to a workspace',
    text: `${inviter} invited you to the workspace "${workspaceName}" on Posthorn. To join it, open this link within ${days} days:

${link}

The link works once. If you do not know the person who invited you, ignore this email.
`,
    html: `<p>${from} invited you to the workspace &quot;${name}&quot; on Posthorn. To join it, open this link within ${days} days:</p>
<p><a href="${link}">${link}</a></p>
<p>The link works once. If you do not know the person who invited you, ignore this email.</p>
`,
  };
}
