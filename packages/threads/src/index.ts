export { serveJobs, startThread, type Thread, ThreadStoppedError } from './thread.js';
