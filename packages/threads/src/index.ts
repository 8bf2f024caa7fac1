export { openThread, serveJobs, type Thread, ThreadStoppedError } from './thread.js';
