import type { Db } from './connect.js';

/** Whether Postgres can store anything at the moment. A standby is read-only. */
export type Writability = 'writable' | 'read_only' | 'unreachable';

export async function checkWritable(db: Db): Promise<Writability> {
  try {
    const { rows } = await db.raw(
      `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
    );
    return rows[0].read_only ? 'read_only' : 'writable';
  } catch {
    return 'unreachable';
  }
}
