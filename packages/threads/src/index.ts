export { openThread, type Thread, ThreadStopped } from './open-thread.js';
export { serveJobs } from './serve-jobs.js';
