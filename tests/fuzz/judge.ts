import { CANARY } from './open-world.js';
import type { FuzzRequest } from './requests.js';
import type { Sent } from './send.js';

/** What no answer to any request may be, as a sentence; null when all is well. */
export function faultOf({ method }: FuzzRequest, sent: Sent): string | null {
  if ('failure' in sent) return `no answer: ${sent.failure}`;
  const { status, headers, text } = sent;
  if (status >= 500) return `status ${status}`;
  if (!headers['x-request-id']) return 'no X-Request-Id';
  if (text.includes(CANARY)) return "another tenant's data in the answer";
  if (status < 400 || method === 'HEAD') return null;
  if (!headers['content-type']?.startsWith('application/problem+json')) return 'a refusal that is no problem document';
  return faultOfProblem(JSON.parse(text), status);
}

function faultOfProblem(problem: Record<string, unknown>, status: number): string | null {
  if (problem.status !== status || typeof problem.code !== 'string') return 'a problem without status or code';
  if (String(problem.detail).length < 10) return 'a refusal that does not say why';
  if (status === 422 && !Array.isArray(problem.errors) && problem.code === 'validation_failed')
    return 'a 422 that names no field';
  return JSON.stringify(problem).length > 20_000 ? 'a refusal longer than 20 kB' : null;
}
