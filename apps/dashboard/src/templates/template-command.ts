import type { Template } from '@posthorn/contract';
import { shellQuote } from '../ui/shell-quote';
import { type Samples, sampleValue } from './samples/samples';

/** A curl command that sends the template. The shell fills in `$POSTHORN_API_KEY`. */
export function templateCommand(origin: string, to: string, { id, variables }: Template, samples: Samples): string {
  const vars = Object.fromEntries(variables.map(({ name }) => [name, sampleValue(samples, name)]));
  const body = [
    '{',
    `  "to": ${JSON.stringify([to])},`,
    `  "template_id": ${JSON.stringify(id)},`,
    `  "template_vars": ${JSON.stringify(vars, null, 2).replaceAll('\n', '\n  ')}`,
    '}',
  ].join('\n');
  return [
    `curl ${origin}/api/v1/emails \\`,
    '  -H "Authorization: Bearer $POSTHORN_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellQuote(body.replaceAll('\n', '\n  '))}`,
  ].join('\n');
}
