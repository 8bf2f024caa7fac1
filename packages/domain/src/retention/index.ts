export { deleteClosedWorkspaces } from './closed-workspaces-store.js';
export { expireCountedMail } from './counted-mail-store.js';
export { maintainPartitions } from './maintain-partitions.js';
export { listPartitions, partitionedTables } from './partition-store.js';
export { deleteOldRows } from './workspace-retention-store.js';
