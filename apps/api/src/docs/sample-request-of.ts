import type { SampleRequest } from '@posthorn/code-samples';
import { ADDRESS, ID } from './example-values.js';
import type { Operation } from './operations.js';

/** Requests from one example must not collide with those from another. */
const IDEMPOTENCY_KEYS: Readonly<Record<string, string>> = { sendEmail: 'welcome-4711', sendBatch: 'newsletter-12' };

/** The request that the code samples of an operation send. @param baseUrl without a trailing slash */
export function sampleRequestOf(operation: Operation, baseUrl: string): SampleRequest {
  const { id, method, credential, body, success } = operation;
  const idempotencyKey = IDEMPOTENCY_KEYS[id];
  return {
    method,
    url: `${baseUrl}${fillPath(operation)}${queryOf(operation)}`,
    credential,
    ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
    ...(body && { body: body.example }),
    response: responseOf(success.type),
  };
}

function fillPath({ path, parameters }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === 'address') return ADDRESS;
    const { enum: values, type } = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    if (Array.isArray(values)) return values[0];
    return type === 'integer' ? '1' : ID;
  });
}

/** Samples for lists show how to ask for a page size. */
function queryOf({ parameters }: Operation): string {
  return parameters.some(({ name }) => name === 'limit') ? '?limit=10' : '';
}

function responseOf(type: string | null): SampleRequest['response'] {
  if (type === null) return 'nothing';
  return type === 'application/json' ? 'json' : 'text';
}
