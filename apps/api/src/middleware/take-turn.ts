import type { Caller } from '@posthorn/domain';
import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';

/** Reading, encoding and storing a megabyte takes up to 20 ms in total. This leaves five sixths of the time to others. */
const REST_MS_PER_BYTE = 0.1 / 1_000;

/**
 * Waits for a turn of the caller's workspace, unless the request has one already. Sends share statements, so they need
 * none unless their body is very large. Public requests have no workspace.
 * @throws Refusal rate_limited if the workspace has used up the bytes of this minute and may need some
 */
export async function takeTurn(ctx: ApiContext, route: Route, response: Response): Promise<void> {
  if (route.isSend || route.access === 'public' || response.locals.turn !== null) return;
  if (route.hasLargePages) ctx.bodies.assertOpen(response);
  if (route.hasContent) await takeContentTurn(ctx, response);
  else response.locals.turn = await ctx.turns.begin(workspaceIdOf(response));
}

/**
 * Waits for the turn that only one large request of a workspace has at a time.
 * @throws Refusal rate_limited if the workspace has used up the bytes of this minute
 */
export async function takeContentTurn(
  ctx: Pick<ApiContext, 'bodies' | 'contentTurns'>,
  response: Response,
): Promise<void> {
  ctx.bodies.assertOpen(response);
  response.locals.turn = await ctx.contentTurns.begin(workspaceIdOf(response));
}

/** Ends the turn, if the request has one. After a large body, the workspace's next large request waits a moment. */
export function endTurn({ bodies }: Pick<ApiContext, 'bodies'>, response: Response): void {
  response.locals.turn?.end(bodies.askedBy(response) * REST_MS_PER_BYTE);
}

function workspaceIdOf({ locals }: Response): string {
  return (locals.caller as Caller).workspace.id;
}
