import { readWaitingPage } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { NIL } from 'uuid';
import { unpark } from './parked-store.js';

const BATCH_SIZE = 1_000;

/**
 * Lets workers claim parked emails again, in batches. An email whose time has run out while it was parked is not sent
 * any more.
 * @param workspaceId null for all workspaces
 * @returns how many were released
 */
export async function releaseParked({ db }: Pick<Context, 'db'>, workspaceId: string | null): Promise<number> {
  const filter = { before: null, workspaceId };
  let released = 0;
  for (let after: string | null = NIL; after !== null; ) {
    const page = await readWaitingPage(db, { after, size: BATCH_SIZE, onlyParked: true, filter });
    released += await unpark(
      db,
      page.emails.map(({ id }) => id),
    );
    after = page.last;
  }
  return released;
}
