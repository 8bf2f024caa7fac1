import { countAgainstRateLimit } from '@posthorn/domain/accepting';
import { type Caller, toSendCaller } from '@posthorn/domain/accounts';
import { ProblemError } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import {
  assertBelowLimit,
  countInProcess,
  countRequest,
  readWindow,
  type WindowLimit,
} from '@posthorn/domain/throttles';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { toClientAddress } from '../http/client-address.js';
import type { Route } from '../routing/route.js';

/**
 * Counts a request. The promise settles when the request may continue; undefined means at once.
 * @throws Refusal rate_limited
 */
type CountBeforeReading = (request: Request, response: Response, caller: Caller) => Promise<void> | undefined;

/**
 * Counts a request against its rate limit before its body is read:
 * - A request to send email counts in this process now, and in Redis later, as part of the admission check.
 * - Any other request of a key or session counts in Redis.
 * - A request to a public route counts against the limit of its IP address, in this process.
 */
export function countBeforeReading(
  ctx: ApiContext,
  { access, isSend, rateLimit = 'requests' }: Route,
): CountBeforeReading {
  if (rateLimit === 'none') return () => undefined;
  if (access === 'public')
    return (request, response) => {
      countRequestByAddress(ctx, request, response);
      return undefined;
    };
  if (isSend) return (_request, _response, caller) => void ctx.accepting.admissionCheck.begin(toSendCaller(caller));
  return async (_request, response, caller) => {
    response.locals.rate = await countRequest(ctx, rateLimit, toSendCaller(caller));
  };
}

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

/** Requests without a credential, and requests to paths or methods that do not exist, per IP address. */
export const publicRequests: WindowLimit = {
  limit: limits.publicRequests.max,
  windowSeconds: 60,
  what: 'requests from one IP address',
};

/**
 * Counts a request against the limit of the client's IP address, in this process. The response says how many requests
 * are left.
 * @throws Refusal rate_limited
 */
export function countRequestByAddress(ctx: Pick<ApiContext, 'windows'>, request: Request, response: Response): void {
  const address = toClientAddress(request);
  assertBelowLimit(ctx, publicRequests, address);
  countInProcess(ctx, publicRequests, address);
  response.locals.rate = readWindow(ctx, publicRequests, address);
}
