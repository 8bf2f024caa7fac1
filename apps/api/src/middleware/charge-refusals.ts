import { type Caller, chargeRateLimit, ProblemError } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/**
 * Counts a refused send against the rate limit. By the contract, the rate limit comes before the body. But a valid
 * send checks it later, together with its idempotency key and caps, and an invalid send does not get that far.
 * @throws Refusal rate_limited over the limit; otherwise what `work` throws, with the rate limit for its headers
 */
export async function chargeRefusals<Result>(
  ctx: Pick<ApiContext, 'accepting'>,
  caller: Caller,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw error.with({ rate: await chargeRateLimit(ctx.accepting, caller) });
  }
}
