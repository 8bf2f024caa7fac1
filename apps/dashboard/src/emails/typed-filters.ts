import type { EmailSearch } from './email-search';

/** `jane@example.com` or `Jane Doe <jane@example.com>`; the API checks the rest. */
const WHOLE_ADDRESS = /^(?:[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+|[^<>]*<[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)+>)$/;
const TAG = /^[\w-]+:[\w-]+$/;
const MIN_SEARCH_CHARACTERS = 3;

/** Whether the API can filter by this address. It does not compare parts of addresses. */
export function isFullAddress(text: string): boolean {
  return WHOLE_ADDRESS.test(text);
}

/** Whether what the user typed as the recipient is searched for instead, because it is a part of an address. */
export function isSearchedInstead(to: string): boolean {
  return to !== '' && !isFullAddress(to);
}

/** @returns what to correct, or undefined if the list can be filtered by this, or the text can be searched for */
export function checkTo(to: string, { q }: EmailSearch): string | undefined {
  if (!isSearchedInstead(to)) return undefined;
  if (q && q !== to) return 'Enter a full address, such as jane@example.com. There is already a search text.';
  if (to.length < MIN_SEARCH_CHARACTERS)
    return `Enter a full address, or at least ${MIN_SEARCH_CHARACTERS} characters to search for.`;
  return undefined;
}

export function checkFrom(from: string): string | undefined {
  return from === '' || isFullAddress(from) ? undefined : 'Enter a full address, such as shop@example.com.';
}

/** Without the spaces that people put around the colon, as on the page of an email. */
export function toTag(text: string): string {
  return text.replace(/\s*:\s*/, ':');
}

export function checkTag(text: string): string | undefined {
  if (text === '' || TAG.test(toTag(text))) return undefined;
  return 'Type the name and the value of a tag, such as campaign:spring.';
}
