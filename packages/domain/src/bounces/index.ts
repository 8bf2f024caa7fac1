export { type AppliedReport, applyReports } from './apply-reports.js';
export { type Bounce, countBounces, deleteBouncesBelow, listBounces } from './bounce-store.js';
export { type InterpretedEvent, interpretEvents } from './interpret-events.js';
export { type InterpretedReport, interpretReport } from './interpret-report.js';
export { findOperatorMail, listOperatorMail, type OperatorMail } from './operator-mail-store.js';
export { buildEventRows, insertEvents, type RequestToken } from './provider-event-store.js';
export { insertReports, type ReceiptOutcome, type ReceivedReport } from './received-report-store.js';
export {
  deleteExpiredReports,
  giveBackReports,
  type LeasedReport,
  leaseReports,
  listReports,
  postponeReports,
  readReportBacklog,
  type StoredReport,
} from './report-store.js';
export {
  createReturnPathMaker,
  createReturnPathParser,
  type MakeReturnPath,
  type ParseReturnPath,
  type ReturnPathEnvelope,
} from './return-path.js';
