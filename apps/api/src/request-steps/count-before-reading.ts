import { type Caller, toSendCaller } from '@posthorn/domain/accounts';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';
import { countRequestByAddress } from './count-request-by-address.js';

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
    response.locals.rate = await ctx.countRequest(rateLimit, toSendCaller(caller));
  };
}
