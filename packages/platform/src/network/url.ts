/**
 * Parses an absolute URL (URL Standard). Use this instead of `URL.canParse`: once Node 20 or 22 has optimized that
 * function, it returns false for valid URLs with letters such as `ü`.
 * @returns null if the text is not a URL
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** @returns null if the text has a percent sign that encodes nothing */
export function decodePercents(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
