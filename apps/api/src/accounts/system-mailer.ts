import { type SystemMail, sendSystemMail } from '@posthorn/domain/accounts';
import type { ApiContext } from '../context.js';

/** Sends the service's own mail. Domain functions call it to send links by email. */
export function systemMailer(ctx: ApiContext): (mail: SystemMail) => Promise<void> {
  return (mail) => sendSystemMail(ctx.accepting, mail);
}
