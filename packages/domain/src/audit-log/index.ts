export {
  type Actor,
  type AuditedFields,
  operator,
  system,
  toUserActor,
} from './audit-entry.js';
export { type AuditEntry, deleteOldEntries, listAuditEntries, listChangedTargets } from './audit-log-store.js';
export { recordChange, summarizeText } from './record-change.js';
