export { addReadCounter, addReadGauge, sharedRead } from './read-at-scrape.js';
export { registerPostgresAndRedisMetrics, registerReplicaMetrics } from './server-metrics.js';
