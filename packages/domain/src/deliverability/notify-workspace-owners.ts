import type { AcceptContext } from '@posthorn/domain/accepting';
import { layOutMail, notifyOwners, quoteName } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import type { Config } from '@posthorn/platform/config';
import {
  clearReputationNotification,
  listReputationNotifications,
  type ReputationNotification,
} from './reputation-store.js';

/**
 * Emails the owners of workspaces that were warned or paused. The emails were queued in the transaction of the change,
 * so they are sent even if the process dies. Several processes can do this at the same time.
 */
export async function notifyWorkspaceOwners(ctx: AcceptContext): Promise<void> {
  for (const notification of await listReputationNotifications(ctx.db)) {
    try {
      const { id, workspaceId, kind } = notification;
      await notifyOwners(ctx, {
        noticeId: id,
        kind: `workspace_${kind}`,
        workspaceId,
        objectId: workspaceId,
        mail: buildReputationMail(ctx.config, notification),
      });
      await clearReputationNotification(ctx.db, notification);
    } catch (error) {
      ctx.log.warn({ error, workspaceId: notification.workspaceId }, 'workspace_owners_not_notified');
    }
  }
}

/** What the owners get when their workspace was warned or paused. */
function buildReputationMail(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { kind, reason, workspaceName }: ReputationNotification,
) {
  const name = quoteName(workspaceName);
  const { subject, before, after } = TEXTS[kind];
  return layOutMail({
    subject,
    before: [before(name), reason],
    link: { label: 'See what bounced', url: `${publicUrl}/deliverability` },
    after: [after],
  });
}

const TEXTS = {
  warned: {
    subject: 'Too many of your emails bounce or are marked as spam',
    before: (name: string) => `The workspace ${name} is close to being paused.`,
    after:
      'Send only to people who asked for your emails, and remove addresses that do not exist. If the rate rises further, sending is paused.',
  },
  paused: {
    subject: 'Sending is paused',
    before: (name: string) =>
      `New emails from the workspace ${name} are refused. Emails that were already accepted are still sent.`,
    after: `Fix the cause. Then an owner can resume sending on the same page, once in ${limits.ownerResumeDays.max} days. If the page does not offer that, ask the operator of this service.`,
  },
} as const;
