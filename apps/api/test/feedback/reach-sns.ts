import type { ApiContext } from '../../src/context/api-context.js';
import { createFeedbackMemory } from '../../src/provider-events/feedback-memory.js';

/** Lets an API reach a server of the test at Amazon's names. Tests cannot listen on port 443. */
export function reachSnsAt(ctx: ApiContext, port: number): void {
  Object.assign(ctx.feedback, createFeedbackMemory(ctx.ssrfGuard, ctx.now, port));
}
