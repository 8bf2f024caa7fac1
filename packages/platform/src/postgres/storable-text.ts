/** Postgres can store neither U+0000 nor lone surrogates, so both are replaced with U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
