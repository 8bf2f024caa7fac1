/** The text as one word for a POSIX shell, apostrophes and all. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
