export { connectReplica, type Replica, readExport, readList } from './replica.js';
export { checkReplica } from './replica-position.js';
