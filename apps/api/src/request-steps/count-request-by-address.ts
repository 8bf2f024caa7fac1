import type { RateLimitState } from '@posthorn/domain';
import type { Request } from 'express';
import { clientAddressOf } from '../client-address.js';
import type { ApiContext } from '../context.js';

/** Counts a request against the limit of the client's IP address, in this process. @throws Refusal rate_limited */
export function countRequestByAddress(
  { publicRequests }: Pick<ApiContext, 'publicRequests'>,
  request: Request,
): RateLimitState {
  const address = clientAddressOf(request);
  publicRequests.assertBelowLimit(address);
  publicRequests.count(address);
  return publicRequests.state(address);
}
