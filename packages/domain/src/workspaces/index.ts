export { toSlug, withSuffix } from './slug.js';
export { recordExport, setPlan, setPlanLimits, setWorkspaceLimits, updateWorkspace } from './update-workspace.js';
export { getPeriods, type Periods, reportUsage, type UsageReport } from './usage.js';
export {
  buildUsageKey,
  createCounterLoader,
  forgetCounters,
  forgetCountersOfEmails,
  type LoadCounters,
} from './usage-counters.js';
export { limitLockWait, lockUsage, readUsed, refundUsage, toUsageKeyText, type UsageKey } from './usage-store.js';
export { INSERT_USAGE_EVENTS, insertMissedThresholds } from './usage-threshold-store.js';
export {
  EVERY_WORKSPACE,
  getMode,
  isTest,
  mayOwnerResume,
  SYSTEM_WORKSPACE_ID,
  toPlatformAddress,
  toTestWorkspace,
  toWorkspaceTarget,
  type Workspace,
  type WorkspacePause,
} from './workspace.js';
export {
  buildWorkspaceColumns,
  clearUnverifiedOwners,
  ensureTestWorkspace,
  findWorkspace,
  hasSuppressionsSql,
  insertWorkspace,
  joinWorkspace,
  listWorkspaces,
  lockLiveWorkspace,
  lockWorkspace,
  type NewWorkspace,
  pauseColumns,
  toPause,
  toWorkspace,
  type WorkspaceChange,
  type WorkspaceRow,
} from './workspace-store.js';
