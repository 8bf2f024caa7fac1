import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import { clientAddressOf } from '../http/client-address.js';

/**
 * Counts a request against the limit of the client's IP address, in this process. The response says how many requests
 * are left.
 * @throws Refusal rate_limited
 */
export function countRequestByAddress(
  { publicRequests }: Pick<ApiContext, 'publicRequests'>,
  request: Request,
  response: Response,
): void {
  const address = clientAddressOf(request);
  publicRequests.assertBelowLimit(address);
  publicRequests.count(address);
  response.locals.rate = publicRequests.state(address);
}
