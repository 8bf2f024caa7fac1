import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import type { SessionCaller } from '../caller.js';
import type { LimitContext } from '../login-limits.js';
import type { SystemMail } from '../send-system-mail.js';
import { invitationMail } from './invitation-mail.js';

/** The inviting caller, and a function that sends mail. */
export type Inviter = {
  readonly caller: SessionCaller;
  readonly sendMail: (mail: SystemMail) => Promise<void>;
};

export type InviteContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

/** Resolves once the mail is accepted. It is then delivered like any other email. */
export async function mailInvitation(
  { caller: { user, workspace }, sendMail }: Inviter,
  { email, url }: { email: string; url: string },
): Promise<void> {
  const facts = { workspaceName: workspace.name, inviter: user.email, days: limits.invitationDays.max, link: url };
  await sendMail({ to: email, ...invitationMail(facts) });
}
