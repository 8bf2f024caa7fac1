/** Postgres stores neither U+0000 nor a lone surrogate; both become U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
