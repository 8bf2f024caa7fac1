import type { Caller } from '@posthorn/domain/accounts';
import { runInTurn } from '@posthorn/domain/throttles';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { toClientAddress } from '../http/client-address.js';
import type { Route } from '../routing/route.js';

/**
 * After a large request, the workspace pauses for 100 ms per megabyte. A megabyte takes up to 20 ms, so others get five
 * sixths of the time.
 */
const PAUSE_MS_PER_BYTE = 0.1 / 1_000;

/**
 * After work that needs no valid credential, the next request from the IP address waits a few times as long as a query
 * takes, so guesses from one IP address use a fifth of a core at most.
 */
export const PAUSE_WITHOUT_CREDENTIAL_MS = 10;

/**
 * Waits until the caller's workspace may run one more request, unless this request already has its turn. Requests to
 * send email are committed in groups, so they need no turn unless their body is very large. Public requests have no
 * workspace, so those that change something or look something up wait for a turn of their IP address.
 * @throws Refusal rate_limited if the response may be large and the workspace has used up its byte limit for this
 *   minute
 */
export async function takeTurn(ctx: ApiContext, route: Route, request: Request, response: Response): Promise<void> {
  if (route.isSend || response.locals.turn !== null) return;
  if (route.access === 'public') {
    if (route.method === 'post') response.locals.turn = await ctx.turns.publicRequests.begin(toClientAddress(request));
    return;
  }
  if (route.hasLargePages || route.takesOwnTurns) ctx.bodies.assertBytesLeft(response);
  if (route.takesOwnTurns) return;
  if (route.hasContent) await takeContentTurn(ctx, response);
  else response.locals.turn = await ctx.turns.requests.begin(getWorkspaceId(response));
}

/**
 * Waits until no other large request of the workspace is running.
 * @throws Refusal rate_limited if the workspace has used up its byte limit for this minute
 */
export async function takeContentTurn(ctx: Pick<ApiContext, 'bodies' | 'turns'>, response: Response): Promise<void> {
  ctx.bodies.assertBytesLeft(response);
  response.locals.turn = await ctx.turns.content.begin(getWorkspaceId(response));
  // The requests before this one may have used up the rest.
  ctx.bodies.assertBytesLeft(response);
}

/**
 * Ends the turn, if the request has one. The next request waits a moment after a large body and after a public request.
 */
export function endTurn({ bodies }: Pick<ApiContext, 'bodies'>, { access }: Route, response: Response): void {
  const isPublic = access === 'public';
  response.locals.turn?.end(isPublic ? PAUSE_WITHOUT_CREDENTIAL_MS : toPauseMs(bodies.requestedBytes(response)));
}

export function toPauseMs(bytes: number): number {
  return bytes * PAUSE_MS_PER_BYTE;
}

/**
 * Runs work as one of the workspace's large requests, which take turns.
 * @param getPauseMs how many milliseconds the workspace then pauses; `result` is null if the work failed
 */
export function runInContentTurn<Result>(
  { turns }: Pick<ApiContext, 'turns'>,
  workspaceId: string,
  work: () => Promise<Result>,
  getPauseMs: (result: Result | null, tookMs: number) => number = () => 0,
): Promise<Result> {
  return runInTurn(turns.content, { owner: workspaceId }, work, getPauseMs);
}

/** As after any other response of this size, the workspace has to pause, so a stream is not read at full speed. */
export async function pauseBetweenPieces(
  { turns }: Pick<ApiContext, 'turns'>,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  const turn = await turns.content.begin(workspaceId);
  turn.end(toPauseMs(bytes));
}

function getWorkspaceId({ locals }: Response): string {
  return (locals.caller as Caller).workspace.liveId;
}
