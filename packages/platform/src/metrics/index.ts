export { type Assess, checkHealth, type Readiness, toReadiness } from './health.js';
export { addReadCounter, addReadGauge, createSharedRead } from './read-at-scrape.js';
export { registerPostgresAndRedisMetrics, registerReplicaMetrics } from './server-metrics.js';
