import {
  defineProblem,
  type FactsArguments,
  type ProblemEntry,
  ProblemError,
  type RefusalCode,
  refusals,
} from '@posthorn/domain/errors';
import { formatCount, formatCountOf } from '@posthorn/platform/values';

/** Refusals that are only about HTTP. Those that follow from domain rules are in errors.ts of the domain package. */
const httpRefusals = {
  bad_request: defineProblem<{ reason: string }>(400, 'Bad request', ({ reason }) => reason),
  malformed_json: defineProblem<{ reason: string }>(
    400,
    'Malformed JSON',
    ({ reason }) => `The request body is not valid JSON: ${reason}.`,
  ),
  csrf_rejected: defineProblem(
    403,
    'Cross-site request refused',
    () =>
      'The browser reports that another site made this request. A session is only accepted from this origin; programs should use an API key.',
  ),
  method_not_allowed: defineProblem<{ method: string; allowed: readonly string[] }>(
    405,
    'Method not allowed',
    ({ method, allowed }) => `This path does not support ${method}. Supported methods: ${allowed.join(', ')}.`,
  ),
  body_too_slow: defineProblem<{ seconds: number; bytes: number; minBytes: number }>(
    408,
    'Body too slow',
    ({ seconds, bytes, minBytes }) =>
      `In ${seconds} seconds, ${formatCountOf(bytes, 'byte')} of the request body arrived; at least ${formatCount(minBytes)} were needed. Send large bodies over a faster connection.`,
  ),
  body_too_large: defineProblem<{ maxBytes: number }>(
    413,
    'Body too large',
    ({ maxBytes }) =>
      `The request body is larger than the limit of ${formatCount(maxBytes)} bytes. Send less in one request.`,
  ),
  unsupported_media_type: defineProblem<{ reason: string; expected?: string }>(
    415,
    'Unsupported media type',
    ({ reason, expected = 'JSON in UTF-8 with "Content-Type: application/json"' }) => `${reason}. Send ${expected}.`,
  ),
} as const;

type HttpRefusalCode = keyof typeof httpRefusals;

export class HttpRefusal<Code extends HttpRefusalCode = HttpRefusalCode> extends ProblemError {
  override name = 'HttpRefusal';

  constructor(
    readonly code: Code,
    ...[facts]: FactsArguments<(typeof httpRefusals)[Code]>
  ) {
    const entry = httpRefusals[code] as ProblemEntry<unknown>;
    super(entry, entry.detail(facts), {});
  }
}

export type ProblemCode = RefusalCode | HttpRefusalCode;

export const problems: Readonly<Record<ProblemCode, Pick<ProblemEntry<never>, 'status' | 'title'>>> = {
  ...httpRefusals,
  ...refusals,
};
