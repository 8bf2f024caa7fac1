export { createCondition, createPause, type Loop, startLoop, type WakeableLoop } from './loop.js';
export { type MetricsPort, openMetricsPort } from './metrics-port.js';
export { runProcess } from './run-process.js';
