export { type CheckHealth, healthChecker } from './check-health.js';
export { type Assess, type Readiness, toReadiness } from './readiness.js';
