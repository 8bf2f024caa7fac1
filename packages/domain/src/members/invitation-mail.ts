import { escapeHtml } from '../templates/escape-html.js';

export type InvitationFacts = {
  readonly workspaceName: string;
  /** Address of who invites. */
  readonly inviter: string;
  readonly days: number;
  /** Holds nothing that HTML would have to escape. */
  readonly link: string;
};

/** The subject says nothing that others wrote. */
export function invitationMail({ workspaceName, inviter, days, link }: InvitationFacts) {
  const [name, from] = [escapeHtml(workspaceName), escapeHtml(inviter)];
  return {
    subject: 'You are invited to a workspace',
    text: `${inviter} invites you to the workspace "${workspaceName}" on Posthorn. To join it, open this link within ${days} days:

${link}

It works once. If you do not know who invites you, do nothing.
`,
    html: `<p>${from} invites you to the workspace &quot;${name}&quot; on Posthorn. To join it, open this link within ${days} days:</p>
<p><a href="${link}">${link}</a></p>
<p>It works once. If you do not know who invites you, do nothing.</p>
`,
  };
}
