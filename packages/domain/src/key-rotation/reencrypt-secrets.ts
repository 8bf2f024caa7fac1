import { type JournalEntry, listJournal } from '@posthorn/domain/erasure';
import {
  type ChangedHash,
  createAddressHashers,
  type HashAddress,
  replaceAddressHashes,
} from '@posthorn/domain/suppressions';
import type { Context } from '@posthorn/platform';
import { type AllSecrets, getSecretKeyId, hasSecretKey, openSecret, sealSecret } from '@posthorn/platform/secrets';
import { NIL } from 'uuid';
import {
  listStoredSecrets,
  lockOlderSecrets,
  replaceSecrets,
  type SecretKind,
  type StoredSecret,
  secretKinds,
} from './stored-secrets-store.js';

/** A batch locks its rows for a few hundredths of a second. */
const SECRETS_PER_BATCH = 200;

type RotationContext = Pick<Context, 'config' | 'db'>;

type ReencryptedKind = {
  readonly kind: SecretKind;
  readonly reencrypted: number;
  /** How many were already encrypted with the current SECRET_KEY. */
  readonly current: number;
  readonly unreadable: number;
};

/** Secrets of one kind that cannot be decrypted, and were encrypted with the same SECRET_KEY. */
type UnreadableSecrets = {
  readonly kind: SecretKind;
  readonly secretKeyId: string;
  /** `missing_key`: the process does not have this SECRET_KEY. `damaged`: it has, so the bytes have changed. */
  readonly problem: 'missing_key' | 'damaged';
  readonly count: number;
  /** The row with the lowest id. */
  readonly firstId: string;
};

export type ReencryptedSecrets = {
  readonly kinds: readonly ReencryptedKind[];
  readonly unreadable: readonly UnreadableSecrets[];
  /** How many suppressions of erased recipients got another hash. */
  readonly rehashed: number;
};

/**
 * Decrypts every stored secret, and encrypts those again that were encrypted with an earlier SECRET_KEY. What cannot be
 * decrypted stays as it is. Then it hashes the addresses of erased recipients again. Each batch is a transaction of its
 * own, so a later call continues where an earlier one stopped, and other processes read each secret either as it was or
 * as it is now.
 * @throws Error when SECRET_KEY is missing
 */
export async function reencryptSecrets(ctx: RotationContext): Promise<ReencryptedSecrets> {
  const kinds: ReencryptedKind[] = [];
  const unreadable: UnreadableSecrets[] = [];
  for (const kind of secretKinds) {
    const { problems, ...counts } = await reencryptKind(ctx, kind);
    unreadable.push(...problems);
    kinds.push({ kind, ...counts, unreadable: problems.reduce((sum, { count }) => sum + count, 0) });
  }
  return { kinds, unreadable, rehashed: await rehashErasedAddresses(ctx) };
}

async function reencryptKind(ctx: RotationContext, kind: SecretKind) {
  const secretKeyId = getSecretKeyId(ctx.config);
  const counts = { reencrypted: 0, current: 0 };
  const problems = new Map<string, UnreadableSecrets>();
  for (let after: string = NIL; ; ) {
    const page = await listStoredSecrets(ctx.db, kind, { after, limit: SECRETS_PER_BATCH });
    const older: string[] = [];
    for (const secret of page) {
      if (!isReadable(ctx.config, secret)) countProblem(problems, toUnreadable(ctx.config, kind, secret));
      else if (secret.sealed.secretKeyId === secretKeyId) counts.current += 1;
      else older.push(secret.id);
    }
    counts.reencrypted += await reencryptBatch(ctx, kind, older);
    const last = page.at(-1);
    if (last === undefined || page.length < SECRETS_PER_BATCH) return { ...counts, problems: [...problems.values()] };
    after = last.id;
  }
}

/** @returns how many it has encrypted again. Those that another process has replaced or deleted meanwhile do not count */
async function reencryptBatch(
  { config, db }: RotationContext,
  kind: SecretKind,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  return db.transaction(async (trx) => {
    const locked = await lockOlderSecrets(trx, kind, { ids, secretKeyId: getSecretKeyId(config) });
    const secrets = locked.map(({ id, sealed }) => ({
      id,
      sealed: sealSecret(config, openSecret(config, sealed, id), id),
    }));
    await replaceSecrets(trx, kind, secrets);
    return secrets.length;
  });
}

function isReadable(config: AllSecrets, { id, sealed }: StoredSecret): boolean {
  try {
    openSecret(config, sealed, id);
    return true;
  } catch {
    return false;
  }
}

function toUnreadable(
  config: AllSecrets,
  kind: SecretKind,
  { id, sealed: { secretKeyId } }: StoredSecret,
): UnreadableSecrets {
  const problem = hasSecretKey(config, secretKeyId) ? 'damaged' : 'missing_key';
  return { kind, secretKeyId, problem, count: 1, firstId: id };
}

/** @param problems by the id of their SECRET_KEY */
function countProblem(problems: Map<string, UnreadableSecrets>, problem: UnreadableSecrets): void {
  const { count = 0, ...first } = problems.get(problem.secretKeyId) ?? {};
  problems.set(problem.secretKeyId, { ...problem, ...first, count: count + 1 });
}

const ERASURES_PER_BATCH = 200;

/**
 * Gives the suppressions of erased recipients the hash that the current SECRET_KEY makes of their address, which is
 * known from the erasure. Erasures that cannot be decrypted are left out.
 * @returns how many suppressions it has changed
 * @throws Error when SECRET_KEY is missing
 */
async function rehashErasedAddresses({ config, db }: Pick<Context, 'config' | 'db'>): Promise<number> {
  const hashers = createAddressHashers(config);
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
