export { type Actor, operator, system, userActor } from './actor.js';
export { type AuditEntry, listAuditEntries, listChangedTargets } from './audit-log-store.js';
export { type AuditedFields, sizeOf } from './changes.js';
export { deleteOldEntries } from './delete-old-entries.js';
export { recordChange } from './record-change.js';
