import { ApiError } from '../api/request';
import { type FilterName, filterNames } from './email-search';

/** The API's message about one filter. */
export function filterError(error: Error | null, name: FilterName): string | undefined {
  return fieldErrors(error).find(({ field }) => filterOf(field) === name)?.message;
}

/** Whether every message in the error is shown next to a filter. */
export function hasOnlyFilterErrors(error: Error | null): boolean {
  const names: readonly string[] = filterNames;
  const errors = fieldErrors(error);
  return errors.length > 0 && errors.every(({ field }) => names.includes(filterOf(field)));
}

/** The search field sends what looks like a Message-ID as `message_id`. */
function filterOf(field: string): string {
  return field === 'message_id' ? 'q' : field;
}

function fieldErrors(error: Error | null) {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}
