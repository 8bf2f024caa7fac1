import { type Caller, chargeRateLimit, ProblemError } from '@posthorn/domain';
import type { ApiContext } from '../context.js';

/**
 * The rate limit comes first in the contract's order of checks, but is asked together with keys and
 * caps once a send is known to be well-formed. So a send that is not asks the limiter before it says why.
 * @throws Refusal rate_limited in place of what `work` throws, or that with the caller's rate
 */
export async function chargeRefusals<Result>(
  ctx: Pick<ApiContext, 'accepting'>,
  caller: Caller,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof ProblemError)) throw fault;
    throw fault.with({ rate: await chargeRateLimit(ctx.accepting, caller) });
  }
}
