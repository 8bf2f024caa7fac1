import { join } from 'node:path';
import { openAcceptContext } from '@posthorn/domain/accepting';
import { createKeyCache } from '@posthorn/domain/api-keys';
import { type Context, closeContext } from '@posthorn/platform';
import { startThread } from '@posthorn/threads';
import { createSsrfGuard } from '@posthorn/webhooks';
import type { ApiContext } from './context/api-context.js';
import { createApiMetrics } from './context/metrics.js';
import { createTurns } from './context/turns.js';
import { BODIES, createBodyBudget, DOWNLOADS } from './http/body-budget.js';
import { buildSecurityHeaders } from './http/security-headers.js';
import { createFeedbackMemory } from './provider-events/feedback-memory.js';
import { STYLE_SOURCE } from './unsubscribe/page.js';

/** The largest heap of each thread. Building a message takes a few times its size in memory. */
const MAX_HEAP_MB = { parsing: 128, messages: 256, texts: 128, events: 256 } as const;

export function createApiContext(ctx: Context): ApiContext {
  const accepting = openAcceptContext(ctx);
  const ssrfGuard = createSsrfGuard(ctx.config);
  return {
    ...ctx,
    accepting,
    windows: accepting.windows,
    turns: createTurns(),
    bodies: createBodyBudget(BODIES),
    downloads: createBodyBudget(DOWNLOADS),
    credentials: { keys: createKeyCache(), known: new Set() },
    signingKeys: new Map(),
    ssrfGuard,
    feedback: createFeedbackMemory(ssrfGuard, ctx.now),
    threads: {
      parsing: startThread(toThreadFile('json/parse-thread'), { maxHeapMb: MAX_HEAP_MB.parsing }),
      messages: startThread(toThreadFile('emails/message-thread'), { maxHeapMb: MAX_HEAP_MB.messages }),
      texts: startThread(toThreadFile('templates/html-to-text-thread'), { maxHeapMb: MAX_HEAP_MB.texts }),
      events: startThread(toThreadFile('provider-events/events-thread'), { maxHeapMb: MAX_HEAP_MB.events }),
    },
    metrics: createApiMetrics(ctx, accepting),
    server: { isStopping: false, securityHeaders: buildSecurityHeaders(ctx.config, STYLE_SOURCE) },
  };
}

function toThreadFile(path: string): string {
  return join(import.meta.dirname, path);
}

/** Call this only after all requests have finished, because this closes the connections that they use. */
export async function closeApiContext(ctx: ApiContext): Promise<void> {
  await ctx.threads.parsing.close();
  await ctx.threads.messages.close();
  await ctx.threads.texts.close();
  await ctx.threads.events.close();
  await ctx.accepting.close();
  await closeContext(ctx);
}
