import type { RateLimitState } from '@posthorn/domain';
import type { Request } from 'express';
import { clientAddressOf } from '../client-address.js';
import type { ApiContext } from '../context.js';

/** Counts a request without a credential for the client's address, in this process. @throws Refusal rate_limited */
export function countRequestByAddress(
  { publicRequests }: Pick<ApiContext, 'publicRequests'>,
  request: Request,
): RateLimitState {
  const address = clientAddressOf(request);
  publicRequests.assertBelowLimit(address);
  publicRequests.count(address);
  return publicRequests.state(address);
}
