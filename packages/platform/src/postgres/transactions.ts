import type { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import type { Db } from './connect.js';

/** A named statement that each connection parses and plans only once. `$1` in `text` is the first value. */
export type Statement = { readonly name: string; readonly text: string };

/** Sends a statement at once. Replies arrive in the order of the calls. */
export type Send = <Row = unknown>(statement: Statement, values: unknown[]) => Promise<Row[]>;

/**
 * Runs `work` on one connection and sends each statement without waiting for the reply to the previous one. Under load,
 * a process reads replies some time after Postgres sends them, so waiting for each reply would use most of the time.
 */
export async function inPipeline<Result>(db: Db, work: (send: Send) => Promise<Result>): Promise<Result> {
  return withConnection(db, (client) => work(buildSender(client)));
}

type PipelinedTransaction = { readonly send: Send; commit(): Promise<void> };

/** Like `inPipeline`, but in a transaction, which is rolled back unless `commit` succeeds. */
export async function inPipelinedTransaction<Result>(
  db: Db,
  work: (trx: PipelinedTransaction) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) throw new Error('A pipelined transaction cannot be part of another one');
  return withConnection(db, async (client) => {
    let committed = false;
    const commit = async () => {
      const { command } = await query(client, { text: 'commit' });
      committed = command === 'COMMIT';
      if (committed) return;
      // An earlier statement failed. Only its error says why, so that error must be thrown first.
      await yieldToEventLoop();
      throw new Error('The transaction was rolled back');
    };
    const begun = query(client, { text: 'begin' });
    try {
      const [result] = await Promise.all([work({ send: buildSender(client), commit }), begun]);
      return result;
    } finally {
      // A connection that cannot roll back must not be used again.
      if (!committed) await client.query('rollback').catch(() => client.end());
    }
  });
}

async function withConnection<Result>(db: Db, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client: pg.Client = await db.client.acquireConnection();
  try {
    return await work(client);
  } finally {
    await db.client.releaseConnection(client);
  }
}

function buildSender(client: pg.Client): Send {
  return async <Row>(statement: Statement, values: unknown[]) => {
    const { rows } = await query(client, { ...statement, values });
    return rows as Row[];
  };
}

/** Statements that are sent in the same turn of the event loop share one write to the socket. */
function query(client: pg.Client, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  queueMicrotask(() => stream.uncork());
  return client.query(config);
}

/** Runs several queries that must agree with each other in one snapshot: that of the transaction, if `db` is one. */
export function inSnapshot<Result>(db: Knex, read: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return read(db as Knex.Transaction);
  return db.transaction(read, { isolationLevel: 'repeatable read', readOnly: true });
}

/**
 * Deletes rows in batches, each in a statement of its own, until one finds fewer than it could delete.
 * @param deleteBatch deletes at most `size` rows. @returns how many it has deleted
 * @param mayContinue called before each batch. If it returns false, the remaining rows are left for a later call
 */
export async function deleteInBatches(
  deleteBatch: (size: number) => Promise<number>,
  size: number,
  mayContinue: () => boolean,
): Promise<void> {
  while (mayContinue()) if ((await deleteBatch(size)) < size) return;
}
