import { invalid, type ProblemError } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import { HttpRefusal } from '../http/http-errors.js';
import type { JsonFault, SyntaxFault } from './json-fault.js';

const UNSTORABLE = 'contains a NUL character or an unpaired surrogate; remove it';

export function toJsonRefusal(fault: JsonFault): ProblemError {
  switch (fault.kind) {
    case 'not_utf8':
      return new HttpRefusal('malformed_json', { reason: 'it is not valid UTF-8' });
    case 'syntax':
      return new HttpRefusal('malformed_json', { reason: describeSyntaxFault(fault.at) });
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

function describeSyntaxFault(at: SyntaxFault | null): string {
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
