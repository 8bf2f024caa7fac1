export { maintainPartitions } from './maintain-partitions.js';
export { listPartitions, partitionedTables } from './partition-store.js';
export { deleteOldRows } from './workspace-retention-store.js';
