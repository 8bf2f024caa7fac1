export type { BlobStoreSetting } from './blob-store-setting.js';
export { type Config, DEVELOPMENT_SECRET, type LogLevel } from './config.js';
export { ConfigError } from './config-error.js';
export { MAX_DOMAIN_CHARACTERS } from './env-reader.js';
export {
  type ClusterRedis,
  EXPECTED_REDIS_URL,
  parseRedisUrl,
  type RedisHost,
  type RedisServers,
  type SentinelRedis,
} from './parse-redis-url.js';
export { parseRelayUrl } from './parse-relay-url.js';
export { type Env, readEnv } from './read-env.js';
export { MAX_AGE_HOURS, SCHEDULE_DAYS, toConfig } from './to-config.js';
export type { TracingSettings } from './tracing-settings.js';
