import type { Context } from '@posthorn/platform';
import { getSecretKeyId, hasSecretKey, openSecret } from '@posthorn/platform/secrets';
import { NIL } from 'uuid';
import { formatJournalEnd, formatJournalEntry, type JournalEntry } from './journal-entry.js';
import { JournalError } from './journal-error.js';
import { listJournal, restartErasure } from './journal-store.js';
import { type FoundEntry, parseJournal } from './parse-journal.js';

const ENTRIES_PER_PAGE = 500;

/**
 * Every erasure of every workspace, oldest first, each as one line of JSON without a line break. The last line says how
 * many there are, so that a file that was cut off can be told from a complete one.
 */
export async function* readErasureJournal(ctx: Pick<Context, 'db'>): AsyncGenerator<string> {
  let erasures = 0;
  for await (const entry of storedErasures(ctx)) {
    yield formatJournalEntry(entry);
    erasures += 1;
  }
  yield formatJournalEnd(erasures);
}

async function* storedErasures({ db }: Pick<Context, 'db'>): AsyncGenerator<JournalEntry> {
  for (let after: string = NIL; ; ) {
    const page = await listJournal(db, after, ENTRIES_PER_PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return;
    after = last.id;
  }
}

type RepeatedErasures = {
  readonly repeated: number;
  /** Entries whose workspace does not exist in this database. */
  readonly withoutWorkspace: number;
};

/**
 * Makes the erasures of the journal due again, after a restore has brought back what they had erased. `eraseNextBatch`
 * then does the work. It checks all lines before it changes anything.
 * @param lines of one or more journals; null for the erasures that the database knows
 * @throws JournalError
 */
export async function repeatErasures(
  ctx: Pick<Context, 'config' | 'db'>,
  lines: readonly string[] | null,
): Promise<RepeatedErasures> {
  const found = lines === null ? await storedEntries(ctx) : parseJournal(lines);
  for (const entry of found) assertReadable(ctx, entry);
  let repeated = 0;
  await ctx.db.transaction(async (trx) => {
    for (const { entry } of found) if (await restartErasure(trx, entry)) repeated += 1;
  });
  return { repeated, withoutWorkspace: found.length - repeated };
}

async function storedEntries(ctx: Pick<Context, 'db'>): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  for await (const entry of storedErasures(ctx))
    found.push({ entry, place: `The erasure ${entry.id} in the database` });
  return found;
}

function assertReadable({ config }: Pick<Context, 'config'>, { entry, place }: FoundEntry): void {
  const { id, address, secretKeyId } = entry;
  if (!hasSecretKey(config, secretKeyId))
    throw new JournalError(
      `${place} was encrypted with the SECRET_KEY with the id ${secretKeyId}, but this process has the one with the id ${getSecretKeyId(config)}. Set SECRET_KEY to the earlier value, or add that value to SECRET_KEY_PREVIOUS. If you never had one with this id, the line is damaged.`,
    );
  try {
    openSecret(config, { bytes: address, secretKeyId }, id);
  } catch {
    throw new JournalError(
      `${place} cannot be decrypted, although SECRET_KEY is the right one. It is damaged. Use another copy of the journal.`,
    );
  }
}
