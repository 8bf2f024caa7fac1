export { applyReports } from './apply-reports.js';
export { type Bounce, countBounces, deleteBouncesBelow, listBounces } from './bounce-store.js';
export { type InterpretedReport, interpretReport } from './interpret-report.js';
export {
  deleteOldReports,
  insertReports,
  type LeasedReport,
  leaseReports,
  listReports,
  postponeReports,
  type ReceivedReport,
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
