export {
  type Actor,
  type AuditedFields,
  operator,
  system,
  userActor,
} from './audit-entry.js';
export { type AuditEntry, deleteOldEntries, listAuditEntries, listChangedTargets } from './audit-log-store.js';
export { recordChange, summarizeText } from './record-change.js';
