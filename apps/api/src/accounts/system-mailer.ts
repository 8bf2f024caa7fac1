import { type SystemMail, sendSystemMail } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/** Sends the service's own mail. Domain functions call it to email links. */
export function systemMailer(ctx: ApiContext): (mail: SystemMail) => Promise<void> {
  return (mail) => sendSystemMail(ctx.accepting, mail);
}
