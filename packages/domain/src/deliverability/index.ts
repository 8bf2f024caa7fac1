export { notifyWorkspaceOwners } from './notify-workspace-owners.js';
export { pauseWorkspace, resumeOwnWorkspace, resumeWorkspace } from './pause-workspace.js';
export { type SendingCounts, toSendingRates } from './rates.js';
export { type DeliverabilityReport, reportDeliverability } from './report-deliverability.js';
export { countEvents, deleteOldStats, type WindowCounts, windowNames } from './sending-stats-store.js';
export { warnOrPauseWorkspaces } from './warn-or-pause-workspaces.js';
