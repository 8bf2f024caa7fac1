import type { PoolMode } from './find-pool-mode.js';
import type { Client } from './open-client.js';
import { SESSION_SETTINGS } from './session-settings.js';

const SET = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');

/**
 * Applies `SESSION_SETTINGS` to a new session.
 *
 * Without a pooler, this takes one round trip. Postgres has then told the client the process id of its backend. A pooler
 * makes up that number, because the client may get a different backend later.
 * @param findPoolMode what the pooler does; only called if there is one
 * @throws PoolerError
 */
export async function prepareSession(client: Client, findPoolMode: () => Promise<PoolMode>): Promise<void> {
  const { rowCount } = await client.query(`select ${SET} where pg_backend_pid() = ${client.processID}`);
  const isDirect = rowCount === 1;
  if (isDirect) return;
  client.sharesBackends = (await findPoolMode()) === 'transaction';
  if (!client.sharesBackends) await client.query(`select ${SET}`);
}
