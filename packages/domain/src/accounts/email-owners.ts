import type { AcceptContext } from '@posthorn/domain/accepting';
import { findOwners } from './membership-store.js';
import { type SystemMail, sendSystemMail } from './send-system-mail.js';

/**
 * Sends the owners of a workspace the same email. Each gets it once, even if this is repeated within 24 hours.
 * @param notificationId identifies the email when it is repeated
 * @throws the first error, after all owners have been tried
 */
export async function emailOwners(
  ctx: AcceptContext,
  workspaceId: string,
  notificationId: string,
  mail: Pick<SystemMail, 'subject' | 'text' | 'html'>,
): Promise<void> {
  const { owners } = await findOwners(ctx.db, workspaceId);
  const sent = await Promise.allSettled(
    owners.map((to) => sendSystemMail(ctx, { to, ...mail, idempotencyKey: `${notificationId} ${to}` })),
  );
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
}
