export { type MetricsPort, openMetricsPort } from './open-metrics-port.js';
export { createPause } from './pause.js';
export { runProcess } from './run-process.js';
export { type Loop, startLoop, type WakeableLoop } from './start-loop.js';
