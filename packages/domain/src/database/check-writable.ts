import type { Db } from './connect.js';
import { toWritability, WRITABILITY, type Writability, whyNotWritable } from './writability.js';

/** Whether Postgres can store anything right now. The check writes nothing, so it never waits for a lost standby. */
export async function checkWritable(db: Db): Promise<Writability> {
  try {
    const { rows } = await db.raw(WRITABILITY);
    return toWritability(rows[0]);
  } catch (error) {
    return whyNotWritable(error) ?? 'unreachable';
  }
}
