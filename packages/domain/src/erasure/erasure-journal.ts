import type { Context } from '@posthorn/platform';
import { getSecretKeyId, hasSecretKey, openSecret } from '@posthorn/platform/secrets';
import { isId } from '@posthorn/platform/values';
import { NIL } from 'uuid';
import { type JournalEntry, listJournal, restartErasure } from './erasure-store.js';

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

/** An entry, and where it was found, as the beginning of a sentence. */
type FoundEntry = { readonly entry: JournalEntry; readonly place: string };

/**
 * Reads a journal, or several that were appended to one file. Each must have its end line, because a file that was cut
 * off would erase fewer recipients and look complete.
 * @throws JournalError
 */
function parseJournal(lines: readonly string[]): FoundEntry[] {
  const found: FoundEntry[] = [];
  let counted = 0;
  let isComplete = false;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const place = `Line ${index + 1}`;
    const erasures = parseJournalEnd(line);
    isComplete = erasures !== null;
    if (erasures === null) {
      found.push({ entry: parseEntry(line, place), place });
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

function parseEntry(line: string, place: string): JournalEntry {
  const entry = parseJournalEntry(line);
  if (entry !== null) return entry;
  throw new JournalError(`${place} is not an erasure. Use a file that "posthorn erasure export" wrote.`);
}

function wrongCount(place: string, erasures: number, counted: number): JournalError {
  return new JournalError(
    `${place} says that its journal has ${erasures} erasures, but the file has ${counted} of them. Use a complete copy.`,
  );
}

/** The entry as one line of JSON, without a line break. */
function formatJournalEntry(entry: JournalEntry): string {
  return JSON.stringify({
    object: 'erasure',
    id: entry.id,
    workspace_id: entry.workspaceId,
    address: entry.address.toString('base64'),
    secret_key_id: entry.secretKeyId,
    requested_at: entry.requestedAt.toISOString(),
    below: entry.below,
  });
}

/** The last line of a journal. @param erasures how many lines come before it */
function formatJournalEnd(erasures: number): string {
  return JSON.stringify({ object: 'erasure_export_end', erasures });
}

/** @returns how many erasures the journal has; null if the line is not the last one of a journal */
function parseJournalEnd(line: string): number | null {
  const { object, erasures } = parseObject(line);
  return object === 'erasure_export_end' && typeof erasures === 'number' ? erasures : null;
}

/** @returns null if the line is not an entry of the journal */
function parseJournalEntry(line: string): JournalEntry | null {
  const json = parseObject(line);
  const { id, workspace_id, address, secret_key_id, requested_at, below } = json;
  if (json.object !== 'erasure' || ![id, workspace_id, below].every((text) => typeof text === 'string' && isUuid(text)))
    return null;
  const requestedAt = new Date(String(requested_at));
  if (typeof address !== 'string' || typeof secret_key_id !== 'string' || Number.isNaN(requestedAt.getTime()))
    return null;
  return {
    id: String(id),
    workspaceId: String(workspace_id),
    address: Buffer.from(address, 'base64'),
    secretKeyId: secret_key_id,
    requestedAt,
    below: String(below),
  };
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `below` is the first id of a moment, which has no version number. */
function isUuid(text: string): boolean {
  return isId(text) || /^[0-9a-f]{8}-[0-9a-f]{4}-0000-0000-0{12}$/.test(text);
}

/** A journal that is not complete, or that cannot be read with this SECRET_KEY. The message is for the operator. */
export class JournalError extends Error {
  override name = 'JournalError';
}
