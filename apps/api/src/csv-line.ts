/** A spreadsheet may run a cell that begins like this as a formula. */
const FORMULA = /^\s*[=+\-@]|^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * One line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe, which
 * spreadsheets do not show.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(encodeCell).join(',')}\r\n`;
}

function encodeCell(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
