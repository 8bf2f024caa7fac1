import type { SuppressionReason } from '@posthorn/contract';
import {
  type ClaimedEmail,
  listPendingRecipients,
  type Outcome,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import type { FindSuppressed } from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { buildOutcome, UNCHARGED } from './build-outcome.js';
import { buildPostponedOutcome } from './outcomes-without-transaction.js';
import { toResult } from './recipient-results.js';

const WHY: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'Suppressed: an earlier email to this address bounced',
  complaint: 'Suppressed: the recipient marked an earlier email as spam',
  unsubscribe: 'Suppressed: the recipient has unsubscribed',
  manual: 'Suppressed: the address was added to the suppression list',
};
const FOR_ALL_WORKSPACES = 'Suppressed: the operator of this service has suppressed the address for all workspaces';

/**
 * The results of the recipients that must not get the email. This is checked here, right before the email is sent,
 * because a scheduled email may have been accepted weeks ago. Test mail is never sent, so it is not checked.
 * @returns the outcome if nobody is left, or if the suppressions cannot be read
 */
export async function findSuppressedRecipients(
  ctx: Pick<Context, 'now'> & { readonly findSuppressed: FindSuppressed },
  email: ClaimedEmail,
): Promise<{ results: readonly RecipientResult[] } | { outcome: Outcome }> {
  if (!email.hasSuppressions || email.isTest) return { results: [] };
  const recipients = listPendingRecipients(email);
  const { workspaceId, topic } = email;
  try {
    const addresses = recipients.map(({ address }) => address);
    const suppressed = await ctx.findSuppressed({ workspaceId, topic, addresses });
    const results = recipients.flatMap((recipient) => {
      const found = suppressed.get(recipient.address);
      if (!found) return [];
      const text = found.isForAllWorkspaces ? FOR_ALL_WORKSPACES : WHY[found.reason];
      return [{ ...toResult(recipient, 'suppressed', { code: null, text }), isRefunded: true as const }];
    });
    if (results.length < recipients.length) return { results };
    const end = { ...UNCHARGED, outcome: 'failed', phase: 'envelope', retryInSeconds: null } as const;
    return { outcome: buildOutcome(ctx, email, results, end) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return { outcome: buildPostponedOutcome(ctx, email, 'The suppressions could not be read') };
  }
}
