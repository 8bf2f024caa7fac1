export { createLog } from './create-log.js';
export { limitedLog } from './limited-log.js';
export type { Log } from './log.js';
