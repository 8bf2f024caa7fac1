export { failpoint } from './none.js';
