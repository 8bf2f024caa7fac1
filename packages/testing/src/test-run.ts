/** The addresses of a worker's test servers. */
type ServerAddresses = { readonly postgresUrl: string; readonly redisUrl: string };

export const TEMPLATE_DATABASE = 'posthorn_template';

/** Opens the secrets of the template database. */
export const TEST_SECRET_KEY = 'a secret that is only good for tests';

/** An environment variable passes the addresses to every test process, one pair for each worker. */
export function toEnv(addresses: readonly ServerAddresses[]): Record<string, string> {
  return { TEST_SERVERS: JSON.stringify(addresses) };
}

export function getServerAddresses(): ServerAddresses {
  const { TEST_SERVERS, JEST_WORKER_ID = '1' } = process.env;
  const servers: ServerAddresses[] = JSON.parse(TEST_SERVERS ?? '[]');
  const own = servers[Number(JEST_WORKER_ID) - 1];
  if (!own)
    throw new Error('The test servers are not running. Run npm test or npx jest from the root of the repository.');
  return own;
}

type Close = () => Promise<void>;

const closers: Close[] = [];

/** Calls `close` after the run, but only if Jest runs without workers. A Jest worker exits without closing anything. */
export function closeAtRunEnd(close: Close): void {
  closers.push(close);
}

export async function endRun(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}
