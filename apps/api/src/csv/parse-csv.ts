import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { formatCount } from '@posthorn/platform/values';
import { CsvError, type Parser, parse } from 'csv-parse';

/** One row of a file, and the number of the line on which it ends. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/**
 * More than any row in our own format has, or in the list of another service, which may have what a server said. Without
 * a limit, a missing quote would make the rest of the file one row.
 */
const MAX_ROW_CHARACTERS = 20_000;
/** Other requests are handled after each chunk, so that a large file does not delay them. */
const CHUNK_BYTES = 4_000;

/**
 * Yields the rows of a CSV file (RFC 4180), without empty ones. Spaces around cells and the byte order mark that Excel
 * writes are removed. If the file is not CSV from some line on, the rows before it come first.
 * @throws Refusal validation_failed if the file is not UTF-8
 * @throws CsvFault
 */
export async function* parseCsv(bytes: Buffer): AsyncGenerator<CsvRow> {
  if (!isUtf8(bytes)) throw invalid({ field: '', message: 'is not UTF-8. Save the file as CSV in UTF-8' });
  const rows: CsvRow[] = [];
  const parser = openParser((row) => rows.push(row));
  const ended = finished(parser).catch(() => undefined);
  for (let start = 0; start < bytes.length && !parser.errored; start += CHUNK_BYTES) {
    parser.write(bytes.subarray(start, start + CHUNK_BYTES));
    yield* rows.splice(0);
    await yieldToEventLoop();
  }
  if (!parser.errored) parser.end();
  await ended;
  yield* rows.splice(0);
  if (parser.errored) throw toFault(parser.errored);
}

function toFault(error: Error): Error {
  return error instanceof CsvError ? new CsvFault(error.code, Number(error.lines)) : error;
}

/** Passes rows on as soon as they are parsed, because a stream that fails drops the rows that nobody has read. */
function openParser(onRow: (row: CsvRow) => void): Parser {
  const parser = parse({
    bom: true,
    max_record_size: MAX_ROW_CHARACTERS,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
    on_record(cells: string[], { lines }) {
      // The parser does not count commas.
      if (cells.length > MAX_ROW_CHARACTERS) throw new CsvFault('CSV_MAX_RECORD_SIZE', lines);
      onRow({ line: lines, cells });
      return null;
    },
  });
  return parser.resume();
}

/** Where and why a file is not CSV. Nothing after that line can be read. */
export class CsvFault extends Error {
  override name = 'CsvFault';
  readonly fault: FieldFault;

  constructor(code: CsvError['code'], line: number) {
    const message = messages[code] ?? 'is not valid CSV';
    super(message);
    this.fault = { field: `line ${line}`, message };
  }
}

const STRAY_QUOTE =
  'has a quote that is not at the start or end of a cell. Put the cell in quotes, and write each quote in it twice';

const messages: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'is the end of the file, but a quote before it is not closed',
  INVALID_OPENING_QUOTE: STRAY_QUOTE,
  CSV_INVALID_CLOSING_QUOTE: STRAY_QUOTE,
  CSV_MAX_RECORD_SIZE: `has more than ${formatCount(MAX_ROW_CHARACTERS)} characters, or a quote before it is not closed`,
};
