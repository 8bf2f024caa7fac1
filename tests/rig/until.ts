import { type TestWorkspace, until } from '@posthorn/testing';
import type { Rig } from './open-rig.js';

/** Waits until every email that is due has reached a final state, and `handoffs` is complete. */
export async function untilSettled({ ctx, mailServers }: Rig, ms?: number): Promise<void> {
  await until(
    'every email has reached a final state',
    async () => {
      const { rows } = await ctx.db.raw(
        `select count(*)::int as unfinished from deliveries join emails
           on emails.workspace_id = deliveries.workspace_id and emails.id = email_id
         where status <> 'scheduled' or due_at < now()`,
      );
      return rows[0].unfinished === 0;
    },
    ms,
  );
  await Promise.all(mailServers.map((server) => server.catchUp()));
}

/** Waits until an email is accepted, and records the time as a recovery. @returns the time in milliseconds */
export async function untilAccepting(rig: Rig): Promise<number> {
  const startedAt = performance.now();
  await until('an email is accepted', async () => (await rig.client.send(rig.requestTo('ok'))).status === 202);
  return recordRecovery(rig, startedAt);
}

/**
 * Waits until a new email is accepted and handed over, and records the time as a recovery.
 * @returns the time in milliseconds
 */
export async function untilDelivering(rig: Rig): Promise<number> {
  const startedAt = performance.now();
  const request = rig.requestTo('ok');
  await until('an email is accepted', async () => (await rig.client.send(request)).status === 202);
  await until('it is handed over', () => rig.handoffs().some(({ to }) => to[0] === request.to[0]));
  return recordRecovery(rig, startedAt);
}

export async function readReadyzStatus({ url }: Rig['apis'][number]): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

/** Waits for `/readyz` of every API process, because its response can be up to a second old. */
export async function untilReady({ apis }: Rig): Promise<void> {
  await until('/readyz of every API process returns 200', async () =>
    (await Promise.all(apis.map(readReadyzStatus))).every((status) => status === 200),
  );
}

function recordRecovery({ recoveries }: Rig, startedAt: number): number {
  const ms = performance.now() - startedAt;
  recoveries.push(ms);
  return ms;
}

/** Sends one email from this workspace. @returns milliseconds from the 202 until a mail server has the email */
export async function timeSingleEmail(rig: Rig, { key }: TestWorkspace): Promise<number> {
  const request = rig.requestTo('ok', { authorization: `Bearer ${key}` });
  await rig.client.send(request);
  const startedAt = performance.now();
  await until('the single email is handed over', () => rig.handoffs().some(({ to }) => to[0] === request.to[0]));
  return performance.now() - startedAt;
}
