import type { AuditTarget } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import type { LimitOverrides } from './plans.js';
import type { WorkspaceRetention } from './workspace.js';

export function workspaceTarget({ id, name }: { id: string; name: string }): AuditTarget {
  return { type: 'workspace', id, label: name };
}

/** What the audit log says about the settings that owners can change. */
export function describeSettings({
  name,
  contentDays,
  emailDays,
}: { name: string } & WorkspaceRetention): AuditedFields {
  return { name, content_retention_days: contentDays, email_retention_days: emailDays };
}

/** What the audit log says about overrides, in the words of the `posthorn` command. */
export function describeOverrides({ monthly, daily, rate, overage }: LimitOverrides): AuditedFields {
  return {
    monthly: inWords(monthly),
    daily: inWords(daily),
    rate_per_minute: inWords(rate),
    overage_cap: inWords(overage),
  };
}

/** `none`: no limit. `default`: the plan's own limit. */
function inWords(limit: number | null | undefined): number | 'none' | 'default' {
  if (limit === undefined) return 'default';
  return limit ?? 'none';
}
