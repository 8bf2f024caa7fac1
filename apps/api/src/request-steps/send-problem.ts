import type { Problem } from '@posthorn/contract';
import { ProblemError, type RateLimitState, Refusal } from '@posthorn/domain/errors';
import { isUnavailable } from '@posthorn/platform/postgres';
import { toTraceId } from '@posthorn/platform/traces';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { writeResponse } from './write-response.js';

/**
 * Without a delay, a client that is over a limit and retries immediately would use most of the process's time. Without
 * the random part, the connections of such a client would all retry in the same millisecond.
 */
const RATE_LIMITED_DELAY_MS = { min: 100, random: 200 };

/** Sends any error as RFC 9457 problem details. An unexpected error is a 500 that reveals nothing. */
export function sendProblem(ctx: ApiContext): (error: unknown, request: Request, response: Response) => void {
  return (error, request, response) => {
    const problem = toProblem(error);
    if (problem.status >= 500) logFailure(ctx, error, problem.status, { request, response });
    ctx.metrics.refusals.inc({ code: problem.code });
    if (response.headersSent) response.destroy();
    else if (problem.code === 'rate_limited') setTimeout(writeProblem, getRateLimitedDelayMs(), ctx, problem, response);
    else writeProblem(ctx, problem, response);
  };
}

function logFailure(
  { log }: Pick<ApiContext, 'log'>,
  error: unknown,
  status: number,
  { request: { method }, response }: { readonly request: Request; readonly response: Response },
): void {
  const { requestId, traceparent, route: path } = response.locals;
  const traceId = traceparent && toTraceId(traceparent);
  log.error({ error, requestId, traceId, method, path }, status === 503 ? 'request_unavailable' : 'request_failed');
}

function getRateLimitedDelayMs(): number {
  return RATE_LIMITED_DELAY_MS.min + Math.random() * RATE_LIMITED_DELAY_MS.random;
}

function writeProblem(ctx: ApiContext, problem: ProblemError, response: Response): void {
  if (response.closed) return;
  const body = viewProblem(problem, response.locals.requestId, `${ctx.config.publicUrl}/docs`);
  const headers = { 'Content-Type': 'application/problem+json; charset=utf-8', ...toHeaders(problem) };
  writeResponse(ctx, response, {
    status: problem.status,
    body: JSON.stringify(body),
    headers,
    rate: findRate(problem),
  });
}

/** Null if the request exceeded another kind of limit, because the remainder of the rate limit would be misleading. */
function findRate({ code, extras: { rate } }: ProblemError): RateLimitState | null | undefined {
  return rate ?? (code === 'rate_limited' ? null : undefined);
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof URIError) return new Refusal('not_found', { what: 'path' });
  return isUnavailable(error) ? new Refusal('unavailable') : new Refusal('internal');
}

function viewProblem(problem: ProblemError, requestId: string, docsUrl: string): Problem {
  const { resetsAt, faults } = problem.extras;
  return {
    type: `${docsUrl}#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(faults && { errors: [...faults] }),
    ...(resetsAt && { resets_at: resetsAt.toISOString() }),
  };
}

function toHeaders({ status, extras: { retryAfterSeconds, allowed } }: ProblemError): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(allowed !== undefined && { Allow: allowed.join(', ') }),
  };
}
