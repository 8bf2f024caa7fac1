import type { SessionCaller } from '../accounts/caller.js';
import type { SystemMail } from '../accounts/send-system-mail.js';
import type { Context } from '../context.js';
import { limits } from '../limits.js';
import { invitationMail } from './invitation-mail.js';
import type { InvitationThrottle } from './invitation-throttle.js';

/** What it takes to invite: who invites and to where, and a way to mail. */
export type Inviter = {
  readonly caller: SessionCaller;
  readonly sendMail: (mail: SystemMail) => Promise<void>;
};

export type InviteContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & {
  invitationThrottle: InvitationThrottle;
};

/** Resolves once the mail is stored like any email that was accepted. */
export async function mailInvitation(
  { caller: { user, workspace }, sendMail }: Inviter,
  { email, url }: { email: string; url: string },
): Promise<void> {
  const facts = { workspaceName: workspace.name, inviter: user.email, days: limits.invitationDays.max, link: url };
  await sendMail({ to: email, ...invitationMail(facts) });
}
