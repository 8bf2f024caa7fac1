/** The addresses of the test servers. Environment variables pass them to every test process. */
export type ServerAddresses = { readonly postgresUrl: string; readonly redisUrl: string };

export const TEMPLATE_DATABASE = 'posthorn_template';

export function toEnv({ postgresUrl, redisUrl }: ServerAddresses): Record<string, string> {
  return { TEST_POSTGRES_URL: postgresUrl, TEST_REDIS_URL: redisUrl };
}

export function serverAddresses(): ServerAddresses {
  const { TEST_POSTGRES_URL: postgresUrl, TEST_REDIS_URL: redisUrl } = process.env;
  if (!postgresUrl || !redisUrl)
    throw new Error('The test servers are not running. Run npm test or npx jest from the root of the repository.');
  return { postgresUrl, redisUrl };
}
