import { type SystemMail, sendSystemMail } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/** Sends the service's own mail. The domain functions that mail links call it. */
export function systemMailer(ctx: ApiContext): (mail: SystemMail) => Promise<void> {
  return (mail) => sendSystemMail(ctx.accepting, mail);
}
