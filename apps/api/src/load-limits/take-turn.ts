import type { Caller } from '@posthorn/domain';
import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';

/**
 * After a large request, the workspace pauses for 100 ms per megabyte. A megabyte takes up to 20 ms, so others get five
 * sixths of the time.
 */
const PAUSE_MS_PER_BYTE = 0.1 / 1_000;

/**
 * Waits until the caller's workspace may run one more request, unless this request already has its turn. Requests to
 * send email are committed in groups, so they need no turn unless their body is very large. Public requests have no
 * workspace, so they do not wait.
 * @throws Refusal rate_limited if the response may be large and the workspace has used up its byte limit for this
 *   minute
 */
export async function takeTurn(ctx: ApiContext, route: Route, response: Response): Promise<void> {
  if (route.isSend || route.access === 'public' || response.locals.turn !== null) return;
  if (route.hasLargePages) ctx.bodies.assertBytesLeft(response);
  if (route.hasContent) await takeContentTurn(ctx, response);
  else response.locals.turn = await ctx.turns.begin(workspaceIdOf(response));
}

/**
 * Waits until no other large request of the workspace is running.
 * @throws Refusal rate_limited if the workspace has used up its byte limit for this minute
 */
export async function takeContentTurn(
  ctx: Pick<ApiContext, 'bodies' | 'contentTurns'>,
  response: Response,
): Promise<void> {
  ctx.bodies.assertBytesLeft(response);
  response.locals.turn = await ctx.contentTurns.begin(workspaceIdOf(response));
}

/** Ends the turn, if the request has one. After a large body, the workspace's next large request waits a moment. */
export function endTurn({ bodies }: Pick<ApiContext, 'bodies'>, response: Response): void {
  response.locals.turn?.end(pauseAfter(bodies.requestedBytes(response)));
}

/** How many milliseconds a workspace pauses after a large request or response. */
export function pauseAfter(bytes: number): number {
  return bytes * PAUSE_MS_PER_BYTE;
}

function workspaceIdOf({ locals }: Response): string {
  return (locals.caller as Caller).workspace.id;
}
