export { checkHealth } from './check-health.js';
export { type Assess, type Readiness, toReadiness } from './readiness.js';
