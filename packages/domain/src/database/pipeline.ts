import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { Db } from './connect.js';

/** A statement that each connection parses and plans once, under its name; `$1` in `text` is the first value. */
export type Statement = { readonly name: string; readonly text: string };

/** Sends a statement at once. Answers come in the order of the calls. */
export type Send = <Row = unknown>(statement: Statement, values: unknown[]) => Promise<Row[]>;

/**
 * Runs `work` on one connection, without waiting for an answer before the next statement is sent: under
 * load a process gets round to an answer later than Postgres gives it, so it is round trips that take time.
 */
export async function inPipeline<Result>(db: Db, work: (send: Send) => Promise<Result>): Promise<Result> {
  return withConnection(db, (client) => work(senderOf(client)));
}

export type PipelinedTransaction = { readonly send: Send; commit(): Promise<void> };

/** The same in a transaction; without a `commit` that succeeds it is rolled back. */
export async function inPipelinedTransaction<Result>(
  db: Db,
  work: (trx: PipelinedTransaction) => Promise<Result>,
): Promise<Result> {
  return withConnection(db, async (client) => {
    let committed = false;
    const commit = async () => {
      const { command } = await query(client, { text: 'commit' });
      committed = command === 'COMMIT';
      if (committed) return;
      // A statement failed, which alone says why: who waits for both is told its error first.
      await nextTurn();
      throw new Error('The transaction was rolled back');
    };
    const begun = query(client, { text: 'begin' });
    try {
      const [result] = await Promise.all([work({ send: senderOf(client), commit }), begun]);
      return result;
    } finally {
      // Whoever cannot even roll back must not be used again.
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

function senderOf(client: pg.Client): Send {
  return async <Row>(statement: Statement, values: unknown[]) => {
    const { rows } = await query(client, { ...statement, values });
    return rows as Row[];
  };
}

/** What is sent in one go leaves in one write. */
function query(client: pg.Client, config: pg.QueryConfig): Promise<pg.QueryResult> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  queueMicrotask(() => stream.uncork());
  return client.query(config);
}
