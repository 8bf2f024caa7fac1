import { setAside } from '@posthorn/domain';
import type { WorkerContext } from './context.js';

/** How long an email that Postgres refuses to change is left alone. */
const SET_ASIDE_SECONDS = 60;

/** Logs that Postgres refused to change this email, and hides the email from the sweep for a minute. */
export async function setEmailAside(
  ctx: Pick<WorkerContext, 'db' | 'log'>,
  emailId: string,
  { error, event }: { error: unknown; event: string },
): Promise<void> {
  ctx.log.error({ error, emailId }, event);
  await setAside(ctx.db, emailId, SET_ASIDE_SECONDS).catch(() => {});
}
