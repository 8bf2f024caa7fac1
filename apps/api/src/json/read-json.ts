import { invalid, type ProblemError } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { groupCalls } from '@posthorn/platform/batching';
import { encodeJson, formatCount, formatCountOf } from '@posthorn/platform/values';
import type { Thread } from '@posthorn/threads';
import { HttpRefusal } from '../http/http-errors.js';
import { JsonError, type JsonFault, type SyntaxFault } from './json-fault.js';
import { type JsonLimits, parseJson } from './parse-json.js';
import type { ParseJob, ParseResult } from './parse-thread.js';

/** Parsing a larger body can take several milliseconds; 10 MB of escape sequences take a tenth of a second. */
const MAX_BYTES_ON_MAIN_THREAD = limits.smallBody.max;

const jsonLimits: JsonLimits = {
  maxDepth: limits.jsonDepth.max,
  maxValues: limits.jsonValues.max,
  maxFields: limits.jsonFields.max,
  maxCharactersOutsideStrings: limits.jsonCharactersOutsideStrings.max,
};

/** Parses large bodies one at a time. */
export type ParseThread = Thread<ParseJob, ParseResult>;

/**
 * @param bytes a body that is not empty. A large buffer is transferred to another thread and must not be used afterwards
 * @throws HttpRefusal malformed_json, or Refusal validation_failed
 */
export async function readJson(
  { threads }: { readonly threads: { readonly parsing: ParseThread } },
  bytes: Buffer,
): Promise<unknown> {
  if (bytes.length <= MAX_BYTES_ON_MAIN_THREAD) return parseHere(bytes);
  const result = await threads.parsing.run({ bytes, limits: jsonLimits }, [bytes.buffer as ArrayBuffer]);
  if ('fault' in result) throw toJsonRefusal(result.fault);
  return result.value;
}

/**
 * Encodes a large value without blocking other requests. It encodes one value at a time, because several would take too
 * much memory.
 */
export const encodeLargeJson: (value: object) => Promise<Buffer[]> = groupCalls(
  async ([value]: object[]) => [await encodeJson(value as object)],
  { max: 1 },
);

function parseHere(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, jsonLimits);
  } catch (error) {
    throw error instanceof JsonError ? toJsonRefusal(error.fault) : error;
  }
}

const UNSTORABLE = 'contains a NUL character or an unpaired surrogate; remove it';

/** The response to a body with this fault. */
export function toJsonRefusal(fault: JsonFault): ProblemError {
  switch (fault.kind) {
    case 'not_utf8':
      return new HttpRefusal('malformed_json', { reason: 'it is not valid UTF-8' });
    case 'syntax':
      return new HttpRefusal('malformed_json', { reason: syntaxReason(fault.at) });
    case 'too_deep':
      return refuseField(
        '',
        `is nested ${formatCount(fault.levels)} levels deep; the limit is ${limits.jsonDepth.max}`,
      );
    case 'too_many_values':
      return refuseField('', `has too many values; the limit is ${formatCount(limits.jsonValues.max)}`);
    case 'too_many_characters_outside_strings':
      return refuseField(
        '',
        `has more than ${formatCount(limits.jsonCharactersOutsideStrings.max)} characters outside strings. Remove white space between values`,
      );
    case 'too_many_fields':
      return refuseField(
        fault.field,
        `has ${formatCountOf(fault.fields, 'field')}; the limit is ${formatCount(limits.jsonFields.max)}`,
      );
    case 'unstorable':
      return refuseField(fault.field, UNSTORABLE);
    case 'unstorable_name':
      return refuseField(fault.field, `has a name that ${UNSTORABLE}`);
    case 'reserved_name':
      return refuseField(fault.field, 'is a reserved name; choose another');
    case 'duplicate_name':
      return refuseField(fault.field, 'appears twice in the same object; send it once');
    default:
      return fault satisfies never;
  }
}

function syntaxReason(at: SyntaxFault | null): string {
  if (at === null) return 'it has a syntax error';
  return `it has a syntax error at line ${at.line}, column ${at.column}${WAY_OUT[at.mistake]}`;
}

const WAY_OUT: Readonly<Record<SyntaxFault['mistake'], string>> = {
  trailing_comma: '. Remove the comma before this position',
  single_quotes: '. Use double quotes',
  comment: '. Remove the comment',
  incomplete: ', where it ends too early',
  other: '',
};

function refuseField(field: string, message: string) {
  return invalid({ field, message });
}
