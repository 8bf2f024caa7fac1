/** The text as one word for a POSIX shell, apostrophes and all. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
