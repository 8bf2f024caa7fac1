import { accountLimits } from './account-limits.js';
import { emailLimits } from './email-limits.js';
import { feedbackLimits } from './feedback-limits.js';
import { reputationLimits } from './reputation-limits.js';
import { requestLimits } from './request-limits.js';
import { suppressionLimits } from './suppression-limits.js';
import { trackingLimits } from './tracking-limits.js';
import { webhookLimits } from './webhook-limits.js';

/**
 * Every limit on a request or a workspace, in one table. Validators read the number; /docs prints the
 * row. Caps and the rate limit for emails belong to workspaces (workspaces/plans.ts), and the size of a
 * request body is a setting (config/config.ts).
 */
export const limits = {
  ...emailLimits,
  ...requestLimits,
  ...accountLimits,
  ...webhookLimits,
  ...feedbackLimits,
  ...suppressionLimits,
  ...trackingLimits,
  ...reputationLimits,
} as const;

export const DEFAULT_PAGE_SIZE = 20;
/** A shorter string would be in nearly every email. */
export const MIN_SEARCH_CHARACTERS = 3;
export const MIN_PASSWORD_CHARACTERS = 10;
