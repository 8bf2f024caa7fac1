import { randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import type { Databases } from './copy-table.js';
import { MoveError } from './move-error.js';

/**
 * Checks what would make the copy fail halfway, before anything is copied.
 * @throws MoveError
 */
export async function assertCanArrive({ source, target }: Databases, ids: readonly string[]): Promise<void> {
  const [ours, theirs] = await Promise.all([migrationsOf(source), migrationsOf(target)]);
  if (ours !== theirs)
    throw new MoveError('The databases have different schemas. Run "posthorn db migrate" with this version for both.');
  if (await isSameDatabase({ source, target })) throw new MoveError('Source and target are the same database.');
  await assertNotInUse(target, ids);
  await assertNamesFree({ source, target }, ids);
}

/** Locks a random number in one database and tries the same in the other, which needs no privileges. */
async function isSameDatabase({ source, target }: Databases): Promise<boolean> {
  const number = randomInt(MAX_RANDOM);
  return source.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [number]);
    const { rows } = await target.raw('select pg_try_advisory_xact_lock(?) as is_free', [number]);
    return !rows[0].is_free;
  });
}

/** The largest bound that `randomInt` takes. */
const MAX_RANDOM = 2 ** 48 - 1;

async function migrationsOf(db: Knex): Promise<string> {
  return (await db('migrations').orderBy('name').pluck('name')).join();
}

async function assertNotInUse(target: Knex, ids: readonly string[]): Promise<void> {
  const states = await target('workspaces').whereIn('id', ids).pluck('move_state');
  if (states.some((state) => state !== 'arriving'))
    throw new MoveError('The target already has a workspace with this ID that is in use or has moved on.');
}

/** The names that are unique among all workspaces (see database/table-ownership.ts). */
async function assertNamesFree({ source, target }: Databases, ids: readonly string[]): Promise<void> {
  const slugs: string[] = await source('workspaces').whereIn('id', ids).pluck('slug');
  const takenSlugs: string[] = await target('workspaces').whereIn('slug', slugs).whereNotIn('id', ids).pluck('slug');
  const domains: string[] = await source('sending_domains')
    .whereIn('workspace_id', ids)
    .where({ status: 'verified' })
    .pluck('name');
  const takenDomains: string[] = await target('sending_domains')
    .whereIn('name', domains)
    .where({ status: 'verified' })
    .whereNotIn('workspace_id', ids)
    .pluck('name');
  const members: Array<{ id: string; email: string }> = await source('users')
    .select('users.id', 'email')
    .join('memberships', 'memberships.user_id', 'users.id')
    .whereIn('memberships.workspace_id', ids);
  const accounts = await target('users')
    .whereRaw('lower(email) = any(?::text[])', [members.map(({ email }) => email.toLowerCase())])
    .whereNotIn(
      'id',
      members.map(({ id }) => id),
    )
    .pluck('id');
  const taken = [...takenSlugs.map((slug) => `the slug ${slug}`), ...takenDomains.map((name) => `the domain ${name}`)];
  if (accounts.length > 0) taken.push(`${accounts.length} accounts with the same address as a member`);
  if (taken.length > 0)
    throw new MoveError(`The target already has ${taken.join(', ')}. Change or remove them there first.`);
}
