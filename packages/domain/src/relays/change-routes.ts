import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { lockLiveWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { readRelays } from './relay-store.js';
import type { Route } from './route.js';
import { deleteRoute, insertRoute } from './route-store.js';
import { beginRoutingChange } from './routing-store.js';

type RouteContext = Pick<Context, 'db' | 'now'>;

/**
 * Adds a route, which decides about every attempt from then on.
 * @throws Refusal validation_failed if it names a relay that does not exist; not_found for the workspace
 */
export async function addRoute(
  { db, now }: RouteContext,
  actor: Actor,
  route: Omit<Route, 'id' | 'createdAt'>,
): Promise<Route> {
  const added: Route = { ...route, id: newId(), createdAt: now() };
  await db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    await assertRelaysExist(trx, route);
    if (route.workspaceId !== null) await lockLiveWorkspace(trx, route.workspaceId);
    await insertRoute(trx, added);
    await recordRouteChange(trx, actor, { before: null, after: added });
  });
  return added;
}

/** @throws Refusal not_found */
export async function removeRoute({ db }: RouteContext, actor: Actor, id: string): Promise<Route> {
  return db.transaction(async (trx) => {
    await beginRoutingChange(trx);
    const removed = await deleteRoute(trx, id);
    if (removed === null) throw new Refusal('not_found', { what: 'route' });
    await recordRouteChange(trx, actor, { before: removed, after: null });
    return removed;
  });
}

async function assertRelaysExist(trx: Knex, { via, fallback }: Pick<Route, 'via' | 'fallback'>): Promise<void> {
  const names = (await readRelays(trx)).map(({ name }) => name);
  const check = (field: string, relay: string) =>
    names.includes(relay)
      ? []
      : [{ field, message: `names ${relay}, which is no relay. posthorn relay list prints them` }];
  const faults = [
    ...via.flatMap(({ relay }) => check('via', relay)),
    ...fallback.flatMap((relay) => check('then', relay)),
  ];
  if (faults.length > 0) throw invalid(...faults);
}

async function recordRouteChange(
  trx: Knex.Transaction,
  actor: Actor,
  { before, after }: { readonly before: Route | null; readonly after: Route | null },
): Promise<void> {
  const route = (after ?? before) as Route;
  await recordChange(trx, actor, {
    workspaceId: null,
    action: after === null ? 'route.removed' : 'route.added',
    target: { type: 'route', id: route.id, label: formatVia(route.via) },
    before: before && describeRoute(before),
    after: after && describeRoute(after),
  });
}

/** `a=3,b=1` */
export function formatVia(via: Route['via']): string {
  return via.map(({ relay, weight }) => `${relay}=${weight}`).join();
}

/** What the audit log says about a route, in the words of the `posthorn` command. */
function describeRoute({ order, via, fallback, ...match }: Route): AuditedFields {
  return {
    order,
    via: formatVia(via),
    fallback,
    workspace: match.workspaceId,
    domain: match.domain,
    recipient_domain: match.recipientDomain,
    tag: match.tag,
    priority: match.priority,
  };
}
