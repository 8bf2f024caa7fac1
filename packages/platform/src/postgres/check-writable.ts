import type { Db } from './connect.js';
import { toWritability, WRITABILITY, type Writability, whyNotWritable } from './writability.js';

/**
 * Whether Postgres can store anything right now. The check writes nothing, so it never waits for a lost standby.
 *
 * If the server is read-only, the pool gives up its connections. Otherwise a process that only reads would stay with a
 * standby after the address in DATABASE_URL has moved to the new primary.
 */
export async function checkWritable(db: Db): Promise<Writability> {
  try {
    const { rows } = await db.raw(WRITABILITY);
    const writability = toWritability(rows[0]);
    if (writability === 'read_only') db.client.leaveReadOnlyServer();
    return writability;
  } catch (error) {
    return whyNotWritable(error) ?? 'unreachable';
  }
}
