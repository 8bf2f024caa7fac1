export { openThread, type Thread, ThreadStoppedError } from './open-thread.js';
export { serveJobs } from './serve-jobs.js';
