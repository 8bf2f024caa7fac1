import { ApiError } from '../api/request';
import { type FilterName, filterNames } from './email-search';

/** What the API says is wrong with a filter. */
export function filterError(error: Error | null, name: FilterName): string | undefined {
  return fieldErrors(error).find(({ field }) => field === name)?.message;
}

/** Whether all that is wrong is said beside the filters. */
export function hasOnlyFilterErrors(error: Error | null): boolean {
  const names: readonly string[] = filterNames;
  const errors = fieldErrors(error);
  return errors.length > 0 && errors.every(({ field }) => names.includes(field));
}

function fieldErrors(error: Error | null) {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}
