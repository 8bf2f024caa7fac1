import type { BounceClass } from '@posthorn/contract';
import { type ListPage, listPageById, type Pagination } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** A recipient whose mail server refused an email. */
export type Bounce = {
  readonly id: string;
  readonly emailId: string;
  readonly recipient: string;
  readonly bounceClass: BounceClass;
  /** What the mail server said. */
  readonly reply: string | null;
  readonly createdAt: Date;
};

/** One page of a workspace's bounces, newest first. Those of emails that were deleted are left out. */
export async function listBounces(
  db: Knex,
  workspaceId: string,
  bounceClass: BounceClass | null,
  pagination: Pagination,
): Promise<ListPage<Bounce>> {
  const query = db('bounces')
    .join('events', (join) =>
      join.on('events.stream_id', 'bounces.email_id').andOn('events.sequence', 'bounces.sequence'),
    )
    .select('bounces.id', 'email_id as emailId', 'recipient', 'bounce_class as bounceClass')
    .select('detail as reply', 'created_at as createdAt')
    .where('bounces.workspace_id', workspaceId)
    .whereNotNull('recipient');
  if (bounceClass !== null) query.where('bounce_class', bounceClass);
  return listPageById(query, pagination, (bounce: Bounce) => bounce, 'bounces.id');
}

/** How many bounces of a workspace each class has, from this id on, the most frequent first. */
export async function countBounces(
  db: Knex,
  workspaceId: string,
  from: string,
): Promise<Array<{ bounceClass: BounceClass; count: number }>> {
  const rows = await db('bounces')
    .select({ bounceClass: 'bounce_class' })
    .select(db.raw('count(*)::int as count'))
    .where({ workspace_id: workspaceId })
    .where('id', '>=', from)
    .groupBy('bounce_class')
    .orderBy([{ column: 'count', order: 'desc' }, 'bounce_class']);
  return rows.map(({ bounceClass, count }) => ({ bounceClass, count }));
}

/** @returns how many of at most `limit` bounces with lower ids were deleted */
export async function deleteBouncesBelow(db: Knex, id: string, limit: number): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from bounces where (workspace_id, id) in (
       select workspace_id, id from bounces where id < ? order by id limit ?
     )`,
    [id, limit],
  );
  return rowCount;
}
