export { registerPostgresAndRedisMetrics } from './postgres-and-redis-metrics.js';
export { addReadCounter, addReadGauge, sharedRead } from './read-at-scrape.js';
export { registerReplicaMetrics } from './replica-metrics.js';
