import type { Db } from './connect.js';
import { refusedFor, toWritability, WRITABILITY, type Writability } from './writability.js';

/** Whether Postgres can store anything at the moment. It writes nothing, so it cannot wait for a lost standby itself. */
export async function checkWritable(db: Db): Promise<Writability> {
  try {
    const { rows } = await db.raw(WRITABILITY);
    return toWritability(rows[0]);
  } catch (error) {
    return refusedFor(error) ?? 'unreachable';
  }
}
