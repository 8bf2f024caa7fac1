/**
 * A spreadsheet may run a cell that begins like this as a formula. A cell that already has apostrophes in front of a
 * formula gets one more, so that `withoutApostrophe` always returns the original text.
 */
const FORMULA = /^'*(?:\s*[=+\-@]|[\t\r\n])/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * One line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe, which
 * spreadsheets do not show.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(encodeCell).join(',')}\r\n`;
}

/** The text of a cell as it was before `csvLine` wrote it. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

function encodeCell(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
