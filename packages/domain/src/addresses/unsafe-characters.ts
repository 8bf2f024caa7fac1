/** Controls, line breaks among them, and the separators that Unicode has for lines and paragraphs. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Whether a text would be more than one line: in a header, what follows a line break is another header. */
export function holdsControl(text: string): boolean {
  return CONTROL.test(text);
}
