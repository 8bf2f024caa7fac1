export { workspaceTarget } from './describe-workspace.js';
export { EVERY_WORKSPACE } from './every-workspace.js';
export { hasSuppressionsSql } from './has-suppressions-sql.js';
export { insertMissedThresholds } from './insert-missed-thresholds.js';
export { lockLiveWorkspace } from './lock-live-workspace.js';
export { type Allowance, type LimitChange, type LimitOverrides, type PlanId, plans } from './plans.js';
export { platformAddress } from './platform-address.js';
export { setPlanLimits, setWorkspaceLimits } from './set-limits.js';
export { setPlan } from './set-plan.js';
export { slugOf, withSuffix } from './slug.js';
export { SYSTEM_WORKSPACE_ID } from './system-workspace.js';
export { ensureTestWorkspace, isTest, modeOf, testWorkspaceOf } from './test-workspace.js';
export { updateWorkspace } from './update-workspace.js';
export { capRefusal } from './usage/cap-refusal.js';
export { type Periods, periodsAt } from './usage/periods.js';
export { reportUsage, type UsageReport } from './usage/report-usage.js';
export { counterLoader, forgetCounters, forgetCountersOfEmails, type LoadCounters } from './usage/usage-counters.js';
export { limitLockWait, lockUsage, readUsed, refundUsage, type UsageKey, usageKeyText } from './usage/usage-store.js';
export { INSERT_USAGE_EVENTS } from './usage-threshold-store.js';
export type { Workspace } from './workspace.js';
export { joinWorkspace, toWorkspace, type WorkspaceRow, workspaceColumns } from './workspace-row.js';
export {
  clearUnverifiedOwner,
  deleteUnverifiedWorkspace,
  findWorkspace,
  insertWorkspace,
  listWorkspaces,
  lockWorkspace,
  type NewWorkspace,
  type WorkspaceChange,
} from './workspace-store.js';
