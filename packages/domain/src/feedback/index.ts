export { applyReports } from './apply-reports.js';
export { type Bounce, listBounces } from './deliverability/bounce-store.js';
export { notifyWorkspaceOwners } from './deliverability/notify-workspace-owners.js';
export { type SendingCounts, toSendingRates } from './deliverability/rates.js';
export { type DeliverabilityReport, reportDeliverability } from './deliverability/report-deliverability.js';
export { countEvents, deleteOldStats, type WindowCounts, windowNames } from './deliverability/sending-stats-store.js';
export { pauseWorkspace, resumeWorkspace, warnOrPauseWorkspaces } from './deliverability/warn-or-pause-workspaces.js';
export { interpretReport } from './interpret-report.js';
export type { OpenOrClick } from './open-click-store.js';
export { recordOpensAndClicks } from './record-opens-and-clicks.js';
export type { InterpretedReport, LeasedReport, ReceivedReport, StoredReport } from './report.js';
export {
  deleteOldReports,
  insertReports,
  leaseReports,
  listReports,
  postponeReports,
  readReportBacklog,
} from './report-store.js';
export { findUnsubscribes, subscribeAgain, unsubscribe } from './unsubscribe.js';
export { findLinkSender, type LinkSender } from './unsubscribe-store.js';
