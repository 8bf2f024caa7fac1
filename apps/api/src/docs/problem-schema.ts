import { type ProblemCode, problems } from '../http/http-errors.js';
import { meanings } from './errors.js';

type Json = { [name: string]: unknown };

const codes = Object.keys(problems) as ProblemCode[];

/** The body of every error. The codes come from the table of problems. */
export const problemSchema: Json = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'URL of the documentation for this code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A human-readable explanation.' },
    code: { type: 'string', enum: codes, description: 'A stable identifier for programs.' },
    request_id: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      description: 'The invalid fields, for 422.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    resets_at: { type: 'string', format: 'date-time', description: 'If a cap was reached: when its period ends.' },
  },
};

export const problemExamples: Json = Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));

function exampleOf(code: ProblemCode): Json {
  const { status, title } = problems[code];
  const value = {
    type: `https://mail.example.com/docs#${code}`,
    title,
    status,
    detail: meanings[code].replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''),
    code,
    request_id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d371',
    ...(code === 'validation_failed' && { errors: [{ field: 'to', message: 'is required' }] }),
    ...(code.endsWith('cap_exceeded') && { resets_at: '2026-12-01T00:00:00.000Z' }),
    ...(code === 'daily_cap_exhausted' && { resets_at: '2026-11-21T00:00:00.000Z' }),
  };
  return { summary: title, value };
}
