export { createLog, type Log, limitedLog } from './log.js';
