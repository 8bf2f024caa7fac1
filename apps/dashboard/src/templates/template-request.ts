import type { SampleRequest } from '@posthorn/code-samples';
import type { Template } from '@posthorn/contract';
import { type Samples, sampleValue } from './samples/samples';

/** A request that sends the template with its sample values. */
export function templateRequest(
  origin: string,
  to: string,
  { id, variables }: Template,
  samples: Samples,
): SampleRequest {
  const vars = Object.fromEntries(variables.map(({ name }) => [name, sampleValue(samples, name)]));
  return {
    method: 'POST',
    url: `${origin}/api/v1/emails`,
    credential: 'key',
    body: { to: [to], template_id: id, template_vars: vars },
    response: 'json',
  };
}
