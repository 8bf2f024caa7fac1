import { ApiError } from '../api/request';
import { type FilterName, filterNames } from './email-search';

/** What the API says is wrong with a filter. */
export function faultOf(error: Error | null, name: FilterName): string | undefined {
  return faultsOf(error).find(({ field }) => field === name)?.message;
}

/** Whether all that is wrong is said beside the filters. */
export function isFilterFault(error: Error | null): boolean {
  const names: readonly string[] = filterNames;
  const faults = faultsOf(error);
  return faults.length > 0 && faults.every(({ field }) => names.includes(field));
}

function faultsOf(error: Error | null) {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}
