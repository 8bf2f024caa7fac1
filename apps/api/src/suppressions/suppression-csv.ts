import { type SuppressionReason, suppressionReasons } from '@posthorn/contract';
import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { AddressError, parseBareAddress, toAddressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import {
  type ImportedSuppression,
  listSuppressions,
  type Suppression,
  type SuppressionFilters,
} from '@posthorn/domain/suppressions';
import { readExport } from '@posthorn/platform/replica';
import { formatCount, formatCountOf } from '@posthorn/platform/values';
import type { ApiContext } from '../context/api-context.js';
import { exportCsv, removeApostrophe, toCsvLine } from '../csv/csv-export.js';
import { CsvFault, type CsvRow, parseCsv } from '../csv/parse-csv.js';
import { isTopic, TOPIC_EXPECTED } from '../validation/field-schemas.js';
import { normalizeName } from '../validation/validation-messages.js';
import { type ExportFormat, findExportFormat, type ReadCell } from './other-services.js';

/** The columns of an export, in this order. An import reads all but the last one. */
export const exportColumns = ['address', 'reason', 'topic', 'created_at'] as const;

/** Yields the suppressions of a workspace as CSV, newest first. Those of erased addresses are left out. */
export function exportSuppressions(
  ctx: ApiContext,
  workspaceId: string,
  filters: SuppressionFilters,
): AsyncGenerator<string> {
  return exportCsv(ctx, workspaceId, {
    columns: exportColumns,
    async readPage(pagination) {
      const { rows, nextCursor } = await readExport(ctx, (db) =>
        listSuppressions(db, workspaceId, filters, pagination),
      );
      return { lines: rows.map(toLine).join(''), nextCursor };
    },
  });
}

function toLine({ address, reason, topic, createdAt }: Suppression): string {
  return address === null ? '' : toCsvLine([address, reason, topic ?? '', createdAt.toISOString()]);
}

type Column = (typeof exportColumns)[number];

/** The columns of a file, and the format of the service that has exported it; null for a file in our format. */
type Header = { readonly names: readonly string[]; readonly format: ExportFormat | null };

/** `rows` counts all rows of the file, also those that suppress nobody. */
export type ParsedImport = { readonly rows: number; readonly suppressions: readonly ImportedSuppression[] };

/**
 * Reads the suppressions of a CSV file: one in our format, whose first row has the names of the columns in any order, or
 * an export of another service. `created_at`, which an export has, is ignored: an imported suppression is as old as the
 * import.
 * @throws Refusal validation_failed that names the faulty lines, up to the number that a 422 lists
 */
export async function parseImport(bytes: Buffer): Promise<ParsedImport> {
  const faults: FieldFault[] = [];
  const rows: (ImportedSuppression | null)[] = [];
  try {
    for await (const read of parseRows(bytes)) {
      if (read !== null && 'message' in read) faults.push(read);
      else rows.push(read);
      if (faults.length >= limits.faults.max) break;
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    faults.push(error.fault);
  }
  if (faults.length > 0) throw invalid(...faults);
  return { rows: rows.length, suppressions: rows.filter((row) => row !== null) };
}

/** null for a row that does not suppress its address. */
type ParsedRow = ImportedSuppression | FieldFault | null;

/**
 * @throws Refusal validation_failed if there is no valid header, or there are too many rows
 * @throws CsvFault
 */
async function* parseRows(bytes: Buffer): AsyncGenerator<ParsedRow> {
  const { max } = limits.importedRows;
  let header: Header | null = null;
  let count = 0;
  for await (const row of parseCsv(bytes)) {
    if (header === null) {
      if (!NAMES_SEPARATOR.test(row.cells[0] ?? '')) header = parseHeader(row);
      continue;
    }
    count += 1;
    if (count > max) {
      throw invalid({ field: '', message: `has more than ${formatCount(max)} rows. Split it into several files` });
    }
    const readCell = buildReadCell(row, header);
    yield header.format?.skips?.(readCell) ? null : parseRow(row, header, readCell);
  }
  if (header === null) throw invalid({ field: '', message: `is empty. ${EXAMPLE}` });
}

/** The line that tells Excel how the cells are separated, which it also writes. */
const NAMES_SEPARATOR = /^sep=/i;

const EXAMPLE = 'The first line must name the columns: address, reason, topic';

function parseHeader({ line, cells }: CsvRow): Header {
  const refuse = (message: string) => invalid({ field: `line ${line}`, message });
  const [only = ''] = cells;
  const separator = cells.length === 1 && [';', '\t'].find((each) => only.includes(each));
  if (separator) {
    throw refuse(`uses ${separator === ';' ? 'semicolons' : 'tabs'} between the columns. Separate them with commas`);
  }
  // Spreadsheets add empty columns. One between others may be empty, too.
  const named = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  const format = findExportFormat(named);
  if (format !== null) return { names: named.map(normalizeName), format };
  const names = named.map((cell) => cell.toLowerCase());
  if (!names.includes('address')) throw refuse(`has no column named address. ${EXAMPLE}`);
  const given = names.filter((name) => name !== '');
  for (const [index, name] of given.entries()) {
    if (!isColumn(name)) throw refuse(`has an unknown column ${shorten(name)}. ${EXAMPLE}`);
    if (given.indexOf(name) !== index) throw refuse(`has the column ${name} twice`);
  }
  return { names, format: null };
}

function isColumn(name: string): name is Column {
  return (exportColumns as readonly string[]).includes(name);
}

function buildReadCell({ cells }: CsvRow, { names }: Header): ReadCell {
  return (name) => removeApostrophe(cells[names.indexOf(name)] ?? '').trim();
}

function parseRow(
  { line, cells }: CsvRow,
  { names, format }: Header,
  readCell: ReadCell,
): ImportedSuppression | FieldFault {
  const faulty = (message: string) => ({ field: `line ${line}`, message });
  const cellFault = findCellFault(cells, { names, format });
  if (cellFault !== null) return faulty(cellFault);
  const address = readCell(format?.columns[0] ?? 'address');
  const reason = findReason(format, readCell);
  const topic = format ? '' : readCell('topic');
  if (address === '') return faulty('has no address');
  if (!isReason(reason)) return faulty(describeUnknownReason(format, readCell));
  const topicFault = topic === '' ? null : findTopicFault(topic, reason);
  if (topicFault !== null) return faulty(topicFault);
  try {
    return { address: toAddressKey(parseBareAddress(address)), reason, topic: topic || null };
  } catch (error) {
    if (error instanceof AddressError) return faulty(`has an invalid address: it ${error.message}`);
    throw error;
  }
}

/** Finds a value in a column that the first line does not name. */
function findCellFault(cells: readonly string[], { names, format }: Header): string | null {
  if (cells.slice(names.length).some((cell) => cell !== ''))
    return `has ${cells.length} cells, but the first line names ${formatCountOf(names.length, 'column')}. Put quotes around a cell with a comma`;
  const unnamed = format ? -1 : names.findIndex((name, index) => name === '' && (cells[index] ?? '').trim() !== '');
  if (unnamed === -1) return null;
  return `has a value in column ${unnamed + 1}, which has no name. Name the column in the first line or empty it`;
}

/** @returns null if the service does not have the reason */
function findReason(format: ExportFormat | null, readCell: ReadCell): string | null {
  return format ? format.toReason(readCell) : readCell('reason').toLowerCase() || 'manual';
}

function describeUnknownReason(format: ExportFormat | null, readCell: ReadCell): string {
  if (!format?.given) return `has an unknown reason. It must be one of: ${suppressionReasons.join(', ')}`;
  const { service, given } = format;
  const reason = shorten(readCell(given.column)) || '(empty)';
  return `has the reason ${reason}, which exports of ${service} do not have. Use one of: ${given.words.join(', ')}`;
}

function findTopicFault(topic: string, reason: SuppressionReason): string | null {
  if (reason === 'hard_bounce' || reason === 'complaint')
    return `has a topic, but a ${reason} stops all mail. Leave the topic empty`;
  return isTopic(topic) ? null : `has an invalid topic: it must be ${TOPIC_EXPECTED}`;
}

function isReason(text: string | null): text is SuppressionReason {
  return suppressionReasons.some((reason) => reason === text);
}

const MAX_NAME_CHARACTERS = 50;

function shorten(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}...` : name;
}
