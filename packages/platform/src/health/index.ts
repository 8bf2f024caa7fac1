export { type Assess, type CheckHealth, healthChecker, type Readiness, toReadiness } from './health.js';
