import { setTimeout as sleep } from 'node:timers/promises';
import type { Rig } from './open-rig.js';

const POLL_MS = 20;
const SETTLE_MS = 120_000;

/** @throws Error that says what was waited for; a `check` that fails because a server is away counts as not yet */
export async function until(what: string, check: () => Promise<boolean> | boolean, ms = SETTLE_MS): Promise<void> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(POLL_MS)) {
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false);
    if (holds) return;
  }
  throw new Error(`Waited ${ms / 1_000} s until ${what}`);
}

/** Until no email is on its way any more, but those for later, and all handoffs are known. */
export async function untilSettled({ ctx, smtp }: Rig, ms = SETTLE_MS): Promise<void> {
  await until(
    'every email has come to its end',
    async () => {
      const { rows } = await ctx.db.raw(
        `select count(*)::int as moving from emails
         where status in ('queued', 'sending', 'deferred') or (status = 'scheduled' and due_at < now())`,
      );
      return rows[0].moving === 0;
    },
    ms,
  );
  await smtp.catchUp();
}

/** From now until a POST is accepted, in ms; noted as a recovery. */
export async function untilAccepting(rig: Rig): Promise<number> {
  const startedAt = performance.now();
  await until('an email is accepted', async () => (await rig.client.post(rig.requestTo('ok'))).status === 202);
  return note(rig, startedAt);
}

/** From now until an email that is accepted now has been handed over, in ms; noted as a recovery. */
export async function untilDelivering(rig: Rig): Promise<number> {
  const startedAt = performance.now();
  const post = rig.requestTo('ok');
  await until('an email is accepted', async () => (await rig.client.post(post)).status === 202);
  await until('it is handed over', () => rig.smtp.handoffs.some(({ to }) => to[0] === post.to[0]));
  return note(rig, startedAt);
}

function note({ recoveries }: Rig, startedAt: number): number {
  const ms = performance.now() - startedAt;
  recoveries.push(ms);
  return ms;
}
