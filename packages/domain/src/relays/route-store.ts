import { type Priority, priorities } from '@posthorn/contract';
import type { Knex } from 'knex';
import type { Route, Via } from './route.js';

type Row = {
  id: string;
  order: number;
  via: Via[];
  fallback: string[];
  workspace_id: string | null;
  domain: string | null;
  recipient_domain: string | null;
  tag: string | null;
  priority: number | null;
  created_at: Date;
};

/** In the order in which they are asked. */
export async function readRoutes(db: Knex): Promise<Route[]> {
  const rows: Row[] = await db('routes').orderBy(['order', 'id']);
  return rows.map(toRoute);
}

function toRoute(row: Row): Route {
  return {
    id: row.id,
    order: row.order,
    via: row.via,
    fallback: row.fallback,
    workspaceId: row.workspace_id,
    domain: row.domain,
    recipientDomain: row.recipient_domain,
    tag: row.tag,
    priority: row.priority === null ? null : (priorities[row.priority] as Priority),
    createdAt: row.created_at,
  };
}

export async function insertRoute(trx: Knex, route: Route): Promise<void> {
  const { id, order, via, fallback, workspaceId, domain, recipientDomain, tag, priority, createdAt } = route;
  await trx('routes').insert({
    ...{ id, order, fallback, domain, tag, via: JSON.stringify(via) },
    workspace_id: workspaceId,
    recipient_domain: recipientDomain,
    priority: priority === null ? null : priorities.indexOf(priority),
    created_at: createdAt,
  });
}

/** @returns null if there is no such route */
export async function deleteRoute(trx: Knex, id: string): Promise<Route | null> {
  const [row]: Row[] = await trx('routes').where({ id }).delete('*');
  return row ? toRoute(row) : null;
}
