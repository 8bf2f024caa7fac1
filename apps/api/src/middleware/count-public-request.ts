import type { Request, Response } from 'express';
import { clientAddressOf } from '../client-address.js';
import type { ApiContext } from '../context.js';

/**
 * Counts a request without a credential for the client's address, in this process. Its response says how many are left.
 * @throws Refusal rate_limited
 */
export function countPublicRequest(
  { publicRequests }: Pick<ApiContext, 'publicRequests'>,
  request: Request,
  response: Response,
): void {
  const address = clientAddressOf(request);
  publicRequests.assertOpen(address);
  publicRequests.count(address);
  response.locals.rate = publicRequests.state(address);
}
