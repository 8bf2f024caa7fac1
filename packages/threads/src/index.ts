export { JobTimeout, openThread, type Thread } from './open-thread.js';
export { serveJobs } from './serve-jobs.js';
