export { type Assess, checkHealth, type Readiness, toReadiness } from './health.js';
