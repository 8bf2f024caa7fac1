import { ApiError } from '../api/request';
import { type EmailSearch, type FilterName, filterNames } from './email-search';

/** `jane@example.com` or `Jane Doe <jane@example.com>`; the API checks the rest. */
const WHOLE_ADDRESS = /^(?:[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+|[^<>]*<[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+>)$/;
const TAG = /^[\w-]+:[\w-]+$/;
const MIN_SEARCH_CHARACTERS = 3;

/** Whether the API can filter by this address. It does not match partial addresses. */
function isFullAddress(text: string): boolean {
  return WHOLE_ADDRESS.test(text);
}

/** Whether the To filter holds only part of an address, which is then searched for instead. */
export function isSearchedInstead(to: string): boolean {
  return to !== '' && !isFullAddress(to);
}

/** @returns what to correct, or undefined if the list can be filtered by `to` or `to` can be searched for */
export function checkTo(to: string, { q }: EmailSearch): string | undefined {
  if (!isSearchedInstead(to)) return undefined;
  if (q && q !== to) return 'Enter a full address, such as jane@example.com. The search field is already in use.';
  if (to.length < MIN_SEARCH_CHARACTERS)
    return `Enter a full address, or at least ${MIN_SEARCH_CHARACTERS} characters to search for.`;
  return undefined;
}

export function checkFrom(from: string): string | undefined {
  return from === '' || isFullAddress(from) ? undefined : 'Enter a full address, such as shop@example.com.';
}

export function toTag(text: string): string {
  return text.replace(/\s*:\s*/, ':');
}

export function checkTag(text: string): string | undefined {
  if (text === '' || TAG.test(toTag(text))) return undefined;
  return 'Type the name and the value of a tag, such as campaign:spring.';
}

export function findFilterError(error: Error | null, name: FilterName): string | undefined {
  return listFieldErrors(error).find(({ field }) => toFilter(field) === name)?.message;
}

/** Whether every message in the error is shown next to a filter. */
export function hasOnlyFilterErrors(error: Error | null): boolean {
  const names: readonly string[] = filterNames;
  const errors = listFieldErrors(error);
  return errors.length > 0 && errors.every(({ field }) => names.includes(toFilter(field)));
}

/** The search field sends what looks like a Message-ID as `message_id`. */
function toFilter(field: string): string {
  return field === 'message_id' ? 'q' : field;
}

function listFieldErrors(error: Error | null) {
  return error instanceof ApiError ? (error.problem.errors ?? []) : [];
}
