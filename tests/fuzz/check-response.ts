import type { ApiDocument } from '@posthorn/testing';
import type { SendResult } from './open-sender.js';
import { CANARY } from './open-tenants.js';
import type { FuzzRequest } from './requests.js';

/**
 * Checks what must hold for every response, whatever the request. The OpenAPI document must describe the status, the
 * headers and the body. @returns what is wrong, or null
 */
export function checkResponse(document: ApiDocument, request: FuzzRequest, result: SendResult): string | null {
  if ('failure' in result) return `no response: ${result.failure}`;
  const { method } = request;
  const { status, headers, text } = result;
  if (status >= 500) return `status ${status}`;
  if (!headers['x-request-id']) return 'no X-Request-Id';
  if (text.includes(CANARY)) return "another tenant's data in the response";
  // The router ignores a fragment, as /emails/stats#x shows.
  const [path = ''] = request.path.split(/[?#]/);
  const undocumented = document.check({ method, path, status, headers, text });
  if (undocumented !== null) return undocumented;
  if (status < 400 || method === 'HEAD') return null;
  if (!headers['content-type']?.startsWith('application/problem+json'))
    return 'an error that is not a problem document';
  return checkProblem(JSON.parse(text), status);
}

function checkProblem(problem: Record<string, unknown>, status: number): string | null {
  if (problem.status !== status || typeof problem.code !== 'string')
    return 'a problem document without `status` or `code`';
  if (String(problem.detail).length < 10) return 'an error that does not say why';
  if (status === 422 && !Array.isArray(problem.errors) && problem.code === 'validation_failed')
    return 'a 422 that names no field';
  return JSON.stringify(problem).length > 20_000 ? 'an error longer than 20 kB' : null;
}
