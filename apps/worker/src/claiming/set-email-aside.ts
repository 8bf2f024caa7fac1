import { setAside } from '@posthorn/domain/delivery';
import { emailLogFields } from '@posthorn/domain/emails';
import type { WorkerContext } from '../context.js';

/** How long an email that Postgres refuses to change is left alone. */
const SET_ASIDE_SECONDS = 60;

/** Logs that Postgres refused to change this email, and hides the email from the sweep for a minute. */
export async function setEmailAside(
  ctx: Pick<WorkerContext, 'db' | 'log'>,
  id: string,
  { error, event }: { error: unknown; event: string },
): Promise<void> {
  const origin = await setAside(ctx.db, id, SET_ASIDE_SECONDS).catch(() => null);
  ctx.log.error({ error, ...emailLogFields({ id, ...origin }) }, event);
}
