import { NIL } from 'uuid';
import type { Context } from '../context.js';
import { openSecret } from '../secrets/sealed-secret.js';
import { formatJournalEntry, type JournalEntry, parseJournalEntry } from './journal-entry.js';
import { listJournal, restartErasure } from './journal-store.js';

const ENTRIES_PER_PAGE = 500;

/** Every erasure of every workspace, oldest first, each as one line of JSON without a line break. */
export async function* readErasureJournal({ db }: Pick<Context, 'db'>): AsyncGenerator<string> {
  for (let after: string = NIL; ; ) {
    const page = await listJournal(db, after, ENTRIES_PER_PAGE);
    yield* page.map(formatJournalEntry);
    const last = page.at(-1);
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return;
    after = last.id;
  }
}

/** A line that is no entry of the journal, or that another SECRET_KEY encrypted. The message is for the operator. */
export class JournalError extends Error {
  override name = 'JournalError';
}

export type RepeatedErasures = {
  readonly repeated: number;
  /** Entries whose workspace does not exist in this database. */
  readonly withoutWorkspace: number;
};

/**
 * Makes the erasures of the journal due again, after a restore has brought back what they had erased. `eraseNextBatch`
 * then does the work. It checks all lines before it changes anything.
 * @param lines of a journal; null for the erasures that the database knows
 * @throws JournalError
 */
export async function repeatErasures(
  ctx: Pick<Context, 'config' | 'db'>,
  lines: readonly string[] | null,
): Promise<RepeatedErasures> {
  const entries = lines === null ? await storedEntries(ctx) : parseLines(lines);
  for (const entry of entries) assertReadable(ctx, entry);
  let repeated = 0;
  await ctx.db.transaction(async (trx) => {
    for (const entry of entries) if (await restartErasure(trx, entry)) repeated += 1;
  });
  return { repeated, withoutWorkspace: entries.length - repeated };
}

async function storedEntries(ctx: Pick<Context, 'db'>): Promise<JournalEntry[]> {
  const lines: string[] = [];
  for await (const line of readErasureJournal(ctx)) lines.push(line);
  return parseLines(lines);
}

function parseLines(lines: readonly string[]): JournalEntry[] {
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const entry = parseJournalEntry(line);
    if (entry === null)
      throw new JournalError(`Line ${index + 1} is not an erasure. Use a file that "posthorn erasure export" wrote.`);
    return [entry];
  });
}

function assertReadable({ config }: Pick<Context, 'config'>, { id, address, secretKeyId }: JournalEntry): void {
  try {
    openSecret(config, { bytes: address, secretKeyId }, id);
  } catch (error) {
    throw new JournalError(`The address of the erasure ${id} cannot be decrypted. ${(error as Error).message}`);
  }
}
