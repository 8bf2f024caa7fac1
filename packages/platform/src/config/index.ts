export type { BlobStoreSetting } from './blob-store.js';
export { type Config, DEVELOPMENT_SECRET, type LogLevel, type TracingSettings } from './config.js';
export {
  type ClusterRedis,
  EXPECTED_REDIS_URL,
  parseRedisUrl,
  type RedisHost,
  type RedisServers,
  type SentinelRedis,
} from './redis-url.js';
export { isMxUrl, parseRelayUrl, type RelayLogin, toRelayAddress } from './relay-url.js';
export { MAX_DOMAIN_CHARACTERS } from './setting-kinds.js';
export { MAX_AGE_HOURS, MAX_SCHEDULE_DAYS, type ProcessRole, type Setting, settingGroups } from './settings.js';
export { ConfigError, type Env, readEnv, toConfig } from './to-config.js';
