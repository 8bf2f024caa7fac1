import {
  addressHashers,
  type ChangedHash,
  type HashAddress,
  replaceAddressHashes,
} from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import { openSecret } from '@posthorn/platform/secrets';
import { NIL } from 'uuid';
import type { JournalEntry } from '../privacy/journal-entry.js';
import { listJournal } from '../privacy/journal-store.js';

const ERASURES_PER_BATCH = 200;

/**
 * Gives the suppressions of erased recipients the hash that the current SECRET_KEY makes of their address, which is
 * known from the erasure. Erasures that cannot be decrypted are left out.
 * @returns how many suppressions it has changed
 * @throws Error when SECRET_KEY is missing
 */
export async function rehashErasedAddresses({ config, db }: Pick<Context, 'config' | 'db'>): Promise<number> {
  const hashers = addressHashers(config);
  let changed = 0;
  for (let after: string = NIL; ; ) {
    const erasures = await listJournal(db, after, ERASURES_PER_BATCH);
    changed += await replaceAddressHashes(
      db,
      erasures.flatMap((erasure) => changedHashes(hashers, erasure.workspaceId, readAddress(config, erasure))),
    );
    const last = erasures.at(-1);
    if (last === undefined || erasures.length < ERASURES_PER_BATCH) return changed;
    after = last.id;
  }
}

/** @returns null if it cannot be decrypted */
function readAddress(config: Context['config'], { id, address, secretKeyId }: JournalEntry): string | null {
  try {
    return openSecret(config, { bytes: address, secretKeyId }, id).toString();
  } catch {
    return null;
  }
}

function changedHashes(
  [current, ...earlier]: readonly HashAddress[],
  workspaceId: string,
  address: string | null,
): ChangedHash[] {
  if (current === undefined || address === null) return [];
  const newHash = current(workspaceId, address);
  return earlier.map((hash) => ({ workspaceId, oldHash: hash(workspaceId, address), newHash }));
}
