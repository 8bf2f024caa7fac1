import type { Caller } from '@posthorn/domain/accounts';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';
import { assertAccess } from './authenticator.js';
import { bodyReader } from './body-reader.js';
import { countRefusedSends } from './count-refused-sends.js';
import { queryReader } from './query-reader.js';

/** The validated body and query string of a request. */
type ReadRequest = { readonly body: unknown; readonly query: unknown };

/**
 * Checks the caller's access, then reads and validates the body and the query string. A request to send email that is
 * refused here still counts against the rate limit.
 */
export function requestReader(
  ctx: ApiContext,
  route: Route,
): (request: Request, response: Response, caller: Caller) => Promise<ReadRequest> {
  const readBody = bodyReader(ctx, route);
  const readQuery = queryReader(route);
  const read = async (request: Request, response: Response, caller: Caller) => {
    assertAccess(caller, route);
    const body = await readBody(request, response);
    return { body, query: readQuery(request) };
  };
  if (!route.isSend) return read;
  return (request, response, caller) => countRefusedSends(ctx, caller, () => read(request, response, caller));
}
