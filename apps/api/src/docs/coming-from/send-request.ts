import type { SampleRequest } from '@posthorn/code-samples';
import type { SendEmailRequest } from '@posthorn/contract';

/** A request to send an email, as it is shown next to the same request to another service. */
export function sendRequest(baseUrl: string, idempotencyKey: string, body: SendEmailRequest): SampleRequest {
  return {
    method: 'POST',
    url: `${baseUrl}/api/v1/emails`,
    credential: 'key',
    headers: { 'Idempotency-Key': idempotencyKey },
    body,
    response: 'json',
  };
}
