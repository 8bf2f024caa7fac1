import { type JournalEntry, parseJournalEnd, parseJournalEntry } from './journal-entry.js';
import { JournalError } from './journal-error.js';

/** An entry, and where it was found, as the beginning of a sentence. */
export type FoundEntry = { readonly entry: JournalEntry; readonly place: string };

/**
 * Reads a journal, or several that were appended to one file. Each must have its end line, because a file that was cut
 * off would erase fewer recipients and look complete.
 * @throws JournalError
 */
export function parseJournal(lines: readonly string[]): FoundEntry[] {
  const found: FoundEntry[] = [];
  let counted = 0;
  let isComplete = false;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `Line ${index + 1}`;
    const erasures = parseJournalEnd(line);
    isComplete = erasures !== null;
    if (erasures === null) {
      found.push({ entry: entryOf(line, place), place });
      counted += 1;
    } else {
      if (erasures !== counted) throw wrongCount(place, erasures, counted);
      counted = 0;
    }
  }
  if (isComplete) return found;
  throw new JournalError(
    'The file does not end with an "erasure_export_end" line, so it is not complete. Use a complete copy.',
  );
}

function entryOf(line: string, place: string): JournalEntry {
  const entry = parseJournalEntry(line);
  if (entry !== null) return entry;
  throw new JournalError(`${place} is not an erasure. Use a file that "posthorn erasure export" wrote.`);
}

function wrongCount(place: string, erasures: number, counted: number): JournalError {
  return new JournalError(
    `${place} says that its journal has ${erasures} erasures, but the file has ${counted} of them. Use a complete copy.`,
  );
}
