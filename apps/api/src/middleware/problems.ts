import type { Problem } from '@posthorn/contract';
import { isUnavailable, Refusal } from '@posthorn/domain';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { ApiContext } from '../context.js';
import { rateHeaders } from './rate-headers.js';

export function refuseUnknownPath(): RequestHandler {
  return () => {
    throw new Refusal('not_found', { what: 'path' });
  };
}

/** Every failure leaves as RFC 9457 problem details; what is not a Refusal says nothing of itself. */
export function sendProblem(ctx: ApiContext): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const refusal = toRefusal(error);
    if (refusal.status >= 500) {
      const { method, route } = request;
      const event = refusal.status === 503 ? 'request_unavailable' : 'request_failed';
      ctx.log.error({ error, requestId: response.locals.requestId, method, path: route?.path }, event);
    }
    ctx.metrics.refusals.inc({ code: refusal.code });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    writeProblem(response, refusal, `${ctx.config.publicUrl}/docs`);
  };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) return new Refusal('not_found', { what: 'path' });
  return isUnavailable(error) ? new Refusal('unavailable') : new Refusal('internal');
}

function writeProblem(response: Response, refusal: Refusal, docsUrl: string): void {
  const { retryAfterSeconds, resetsAt, faults, rate } = refusal.extras;
  const problem: Problem = {
    type: `${docsUrl}#${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    detail: refusal.message,
    code: refusal.code,
    request_id: response.locals.requestId,
    ...(faults && { errors: [...faults] }),
    ...(resetsAt && { resets_at: resetsAt.toISOString() }),
  };
  response.status(refusal.status).type('application/problem+json');
  if (refusal.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  // What is left of the body is not waited for.
  if (refusal.status === 413) response.setHeader('Connection', 'close');
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  if (rate) response.set(rateHeaders(rate));
  response.send(JSON.stringify(problem));
}
