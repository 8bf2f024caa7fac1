export { createLog, type Log, limitLog } from './log.js';
