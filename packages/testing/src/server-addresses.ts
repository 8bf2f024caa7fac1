/** How the servers of a test run tell every test process where they are. */
export type ServerAddresses = { readonly postgresUrl: string; readonly redisUrl: string };

export const TEMPLATE_DATABASE = 'posthorn_template';

export function toEnv({ postgresUrl, redisUrl }: ServerAddresses): Record<string, string> {
  return { TEST_POSTGRES_URL: postgresUrl, TEST_REDIS_URL: redisUrl };
}

export function serverAddresses(): ServerAddresses {
  const { TEST_POSTGRES_URL: postgresUrl, TEST_REDIS_URL: redisUrl } = process.env;
  if (!postgresUrl || !redisUrl)
    throw new Error('The test servers are not running: start tests with npm test or npx jest from the root.');
  return { postgresUrl, redisUrl };
}
