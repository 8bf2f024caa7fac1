export { prepareIfCopied, prepareRestore, releaseParked } from './prepare-restore.js';
