import type { Db } from './connect.js';
import { toWritability, WRITABILITY, type Writability, whyNotWritable } from './writability.js';

/** Whether Postgres can store anything at the moment. It writes nothing, so it cannot wait for a lost standby itself. */
export async function checkWritable(db: Db): Promise<Writability> {
  try {
    const { rows } = await db.raw(WRITABILITY);
    return toWritability(rows[0]);
  } catch (error) {
    return whyNotWritable(error) ?? 'unreachable';
  }
}
