import type { RequestHandler } from 'express';
import type { ApiContext } from '../context.js';

/** Counts answers and how long they took, by the route's pattern, never by the path with its ids. */
export function measure(ctx: Pick<ApiContext, 'metrics'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('finish', () => {
      const labels = { method: request.method, route: request.route?.path ?? 'unknown', status: response.statusCode };
      ctx.metrics.requestSeconds.observe(labels, (performance.now() - startedAt) / 1_000);
    });
    next();
  };
}
