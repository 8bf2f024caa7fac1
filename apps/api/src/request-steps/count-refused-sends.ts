import { countAgainstRateLimit } from '@posthorn/domain/accepting';
import { type Caller, toSendCaller } from '@posthorn/domain/accounts';
import { ProblemError } from '@posthorn/domain/errors';
import type { ApiContext } from '../context.js';

/**
 * Counts a refused request to send email against the rate limit. A valid one is counted later, with its idempotency key
 * and caps. An invalid one never gets that far, but in the documented order of errors (docs/architecture.md), the rate
 * limit comes before the body.
 * @throws Refusal rate_limited if the caller is over the limit; otherwise the error of `work`, with the rate limit for
 *   the response headers
 */
export async function countRefusedSends<Result>(
  ctx: Pick<ApiContext, 'accepting'>,
  caller: Caller,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw error.with({ rate: await countAgainstRateLimit(ctx.accepting, toSendCaller(caller)) });
  }
}
