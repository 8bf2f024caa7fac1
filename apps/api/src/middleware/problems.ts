import type { Problem } from '@posthorn/contract';
import { isUnavailable, Refusal } from '@posthorn/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiContext } from '../context.js';
import { rateHeaders } from './rate-headers.js';
import { writeAnswer } from './write-response.js';

export function refuseUnknownPath(): RequestHandler {
  return () => {
    throw new Refusal('not_found', { what: 'path' });
  };
}

/** Every failure leaves as RFC 9457 problem details; what is not a Refusal says nothing of itself. */
export function sendProblem(ctx: ApiContext): (error: unknown, request: Request, response: Response) => void {
  return (error, request, response) => {
    const refusal = toRefusal(error);
    if (refusal.status >= 500) {
      const { method } = request;
      const event = refusal.status === 503 ? 'request_unavailable' : 'request_failed';
      ctx.log.error({ error, requestId: response.locals.requestId, method, path: response.locals.route }, event);
    }
    ctx.metrics.refusals.inc({ code: refusal.code });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const problem = problemOf(refusal, response.locals.requestId, `${ctx.config.publicUrl}/docs`);
    const headers = { 'Content-Type': 'application/problem+json; charset=utf-8', ...headersOf(refusal) };
    writeAnswer(ctx, response, { status: refusal.status, body: JSON.stringify(problem), headers });
  };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) return new Refusal('not_found', { what: 'path' });
  return isUnavailable(error) ? new Refusal('unavailable') : new Refusal('internal');
}

function problemOf(refusal: Refusal, requestId: string, docsUrl: string): Problem {
  const { resetsAt, faults } = refusal.extras;
  return {
    type: `${docsUrl}#${refusal.code}`,
    title: refusal.title,
    status: refusal.status,
    detail: refusal.message,
    code: refusal.code,
    request_id: requestId,
    ...(faults && { errors: [...faults] }),
    ...(resetsAt && { resets_at: resetsAt.toISOString() }),
  };
}

function headersOf({ status, extras: { retryAfterSeconds, rate } }: Refusal): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    // What is left of the body is not waited for.
    ...(status === 413 && { Connection: 'close' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(rate && rateHeaders(rate)),
  };
}
