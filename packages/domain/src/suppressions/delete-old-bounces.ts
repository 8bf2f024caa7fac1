import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';
import { REMEMBERED_DAYS } from './suppress-bounces.js';
import { forgetBouncesBefore } from './suppression-store.js';

/** Forgets bounces that no longer count. @param now the time according to Postgres */
export async function deleteOldBounces({ db }: Pick<Context, 'db'>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - REMEMBERED_DAYS * DAY_MS);
  await forgetBouncesBefore(db, before);
}
