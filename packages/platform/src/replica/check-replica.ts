import { connectDatabase } from '@posthorn/platform/postgres';
import { hasCaughtUp, type PrimaryContext, readPosition, throwCheckError } from './replica-position.js';

/**
 * Checks once what every read from the replica checks.
 * @returns whether the replica has everything that the primary has confirmed; null if the primary cannot say
 * @throws ReplicaError if the replica cannot be used, or the error of a server that cannot be reached
 */
export async function checkReplica(ctx: PrimaryContext, url: string): Promise<boolean | null> {
  const target = await readPosition(ctx).catch(throwCheckError);
  if (target === null) return null;
  const db = connectDatabase(url, { poolSize: 1 });
  try {
    const connection = await db.client.acquireConnection();
    try {
      return await hasCaughtUp(db, connection, target);
    } finally {
      await db.client.releaseConnection(connection);
    }
  } finally {
    await db.destroy();
  }
}
