import { buildRateWindows, type RateWindows } from '@posthorn/domain/throttles';
import type { Periods, Workspace } from '@posthorn/domain/workspaces';
import type { IdempotencyKey } from './idempotency-key.js';

/** What the admission check needs to know about one request. */
export type AdmissionRequest = {
  /** The API key or user whose rate limit the request counts against. */
  readonly callerId: string;
  readonly workspace: Workspace;
  readonly periods: Periods;
  /** How many emails to count against the rate limit: one, or all emails of a batch. */
  readonly emails: number;
  /** How many recipients to count. If 0, only the rate limit and the key are checked. */
  readonly sends: number;
  readonly idempotencyKey: IdempotencyKey | null;
};

/** The windows that count the emails per minute of an API key or a user, and of the workspace. */
export function buildEmailWindows({
  callerId,
  workspace: { id, allowance },
}: Pick<AdmissionRequest, 'callerId' | 'workspace'>): RateWindows {
  return buildRateWindows(`{${id}}:rate`, callerId, allowance.ratePerMinute);
}

/** The same text for all requests that share counters and limits. */
export function buildSettingText({ callerId, workspace: { id, allowance }, periods }: AdmissionRequest): string {
  return `${id} ${callerId} ${periods.day} ${allowance.ratePerMinute} ${allowance.monthlyCap} ${allowance.daily}`;
}
