export { checkReplica } from './check-replica.js';
export { openReplica, type Replica, readExport, readList } from './replica.js';
