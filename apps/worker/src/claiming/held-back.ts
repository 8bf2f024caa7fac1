import { type ClaimedEmail, listWaits, releaseWaiting, selectDueEmails } from '@posthorn/domain/delivery';
import { parseWaitsFor, type StoredWait } from '@posthorn/domain/emails';
import { listRelaysFor, type Routing } from '@posthorn/domain/relays';
import { claimOrSetAside, type WorkerContext } from './claim-emails.js';

/** How often a worker looks whether emails that were held back may be sent. */
export const LOOK_EVERY_MS = 250;

/** How many emails of each wait a look releases after a change of relays or routes. */
const EMAILS_PER_RELEASE = 1_000;

/**
 * Claims emails that were held back, as many as their limits and routes let through now. All that they wait for have the
 * same share of `limit`.
 * @returns null if none are held back
 */
export async function claimHeldBack(ctx: WorkerContext, limit: number): Promise<ClaimedEmail[] | null> {
  const waits = await listWaits(ctx.db);
  if (waits.length === 0) return null;
  const { workspaceIds: paused } = await ctx.pauses.read();
  const routing = await ctx.routing.read();
  const current = await releaseOutdated(ctx, waits, routing);
  const emails: ClaimedEmail[] = [];
  for (const [index, waitsFor] of current.toSorted(() => Math.random() - 0.5).entries()) {
    const share = Math.ceil((limit - emails.length) / (current.length - index));
    const count = share > 0 ? await countSendable(ctx, routing, { waitsFor, max: share }) : 0;
    if (count === 0) continue;
    const due = { limit: count, holders: ctx.slots.activeWorkspaces(), onlyOthers: false, paused, waitsFor };
    emails.push(...(await claimOrSetAside(ctx, selectDueEmails(ctx.db, due, ctx.config.leaseSeconds))));
  }
  return emails;
}

/**
 * Emails that were held back by earlier relays and routes are decided about again. Those of later ones, which this worker
 * does not know yet, are left to others.
 * @returns the waits by the relays and routes that this worker knows
 */
async function releaseOutdated(
  { db }: Pick<WorkerContext, 'db'>,
  waits: readonly StoredWait[],
  routing: Routing,
): Promise<StoredWait[]> {
  const known = BigInt(routing.version);
  const outdated = waits.filter((waitsFor) => parseWaitsFor(waitsFor).version < known);
  await Promise.all(outdated.map((waitsFor) => releaseWaiting(db, waitsFor, EMAILS_PER_RELEASE)));
  return waits.filter((waitsFor) => parseWaitsFor(waitsFor).version === known);
}

type Asked = { readonly waitsFor: StoredWait; readonly max: number };

/** How many emails that wait for this may be sent now. */
async function countSendable(
  { relays }: Pick<WorkerContext, 'relays'>,
  routing: Routing,
  { waitsFor, max }: Asked,
): Promise<number> {
  const wait = parseWaitsFor(waitsFor);
  const { kind, name } = wait;
  if (kind === 'route' || kind === 'no-relay') {
    const route = routing.routes.find(({ id }) => id === name) ?? null;
    return Math.min(max, relays.countSendable(listRelaysFor(route, routing.relays, null)));
  }
  if (kind !== 'relay') return relays.prepare(wait, max);
  const relay = routing.relays.find(({ id, isPaused }) => id === name && !isPaused);
  return relay ? Math.min(max, relays.countSendable([relay.name])) : 0;
}
