import { Refusal } from '@posthorn/domain/errors';
import { toAddressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import {
  clearShared,
  countShared,
  perDay,
  uncountShared,
  type WindowContext,
  type WindowLimit,
} from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';

const WINDOW_SECONDS = 900;
/**
 * NIST SP 800-63B, section 5.2.2, allows 100 failed logins to an account. More failures than that mean an attack from
 * many networks. From then on, each network gets only a few tries. It still gets some, because the attack must not lock
 * out the account's user.
 */
const ACCOUNT_WINDOW_SECONDS = 3_600;

const limitTo = (limit: number, what: string, windowSeconds = WINDOW_SECONDS): WindowLimit => ({
  limit,
  windowSeconds,
  what,
});
const byClient = limitTo(limits.failedLogins.max, 'failed logins');
const byAddress = limitTo(limits.failedLoginsFromNetwork.max, 'failed logins from one IP address');
const byAccount = limitTo(limits.failedLoginsToAccount.max, 'failed logins to one account', ACCOUNT_WINDOW_SECONDS);
const duringAttack = limitTo(limits.failedLoginsDuringAttack.max, 'failed logins', ACCOUNT_WINDOW_SECONDS);
const resets = limitTo(limits.passwordResets.max, 'password resets');
const signUps = limitTo(limits.signUps.max, 'sign-ups from one IP address');
const signUpsPerDay = perDay(limits.signUpsPerDay.max, 'sign-ups from one IP address');

export type LoginAttempt = {
  /** The client's IP address, or its network. */
  readonly peer: string;
  /** The email address that the client tries, whether or not it has an account. */
  readonly email: string;
  /** Identifies a device that has logged in to this account before; null for every other device. */
  readonly device: string | null;
};

export type LimitContext = Pick<Context, 'redis'> & WindowContext;

/**
 * Runs `work` unless too many attempts have failed. If `work` throws invalid_login, the attempt counts as failed.
 *
 * Slows down password guessing against one account, and against many accounts from one IP address. Failures are counted
 * per account and client, so that nobody can lock out an account's user with wrong passwords. A client is a known
 * device or a network.
 * @throws Refusal rate_limited, and any error that `work` throws
 */
export async function guardLogin<Result>(
  ctx: LimitContext,
  attempt: LoginAttempt,
  work: () => Promise<Result>,
): Promise<Result> {
  const counts: Count[] = [];
  for (const count of listCounts(attempt)) counts.push(await countIn(ctx, count));
  const uncount = () => Promise.all(counts.map(({ limit, key }) => uncountShared(ctx, limit, key)));
  const result = await work().catch(async (error) => {
    if (!isFailure(error)) await uncount();
    throw error;
  });
  await uncount();
  await clearShared(ctx, byClient, clientKey(attempt));
  return result;
}

/** Forgets failed attempts, so that the account's user can try again at once. */
export async function clearFailedLogins(ctx: LimitContext, attempt: LoginAttempt): Promise<void> {
  await clearShared(ctx, byClient, clientKey(attempt));
  await clearShared(ctx, byClient, clientKey({ ...attempt, device: null }));
  await clearShared(ctx, byAccount, accountKey(attempt));
  await clearShared(ctx, duringAttack, attackKey(attempt));
}

/** Counts a request for a reset link. @throws Refusal rate_limited */
export function countPasswordReset(ctx: LimitContext, peer: string): Promise<void> {
  return countShared(ctx, resets, `login:reset:${sha256Hex(peer)}`);
}

/** Counts a sign-up, whether or not it succeeds. @throws Refusal rate_limited */
export async function countSignUp(ctx: LimitContext, peer: string): Promise<void> {
  await countShared(ctx, signUps, `login:sign-up:${sha256Hex(peer)}`);
  await countShared(ctx, signUpsPerDay, `login:sign-ups-of-day:${sha256Hex(peer)}`);
}

type Count = {
  readonly limit: WindowLimit;
  readonly key: string;
  /** Counts the attempt instead if this limit has been reached. */
  readonly fallback?: Count;
};

/** The narrowest limit comes first, so that an attempt it refuses does not count toward limits shared with others. */
function listCounts(attempt: LoginAttempt): Count[] {
  const ofClient = { limit: byClient, key: clientKey(attempt) };
  if (attempt.device !== null) return [ofClient];
  return [
    ofClient,
    { limit: byAddress, key: `login:address:${sha256Hex(attempt.peer)}` },
    { limit: byAccount, key: accountKey(attempt), fallback: { limit: duringAttack, key: attackKey(attempt) } },
  ];
}

/** @returns the limit that counted the attempt @throws Refusal rate_limited */
async function countIn(ctx: LimitContext, count: Count): Promise<Count> {
  try {
    await countShared(ctx, count.limit, count.key);
    return count;
  } catch (error) {
    if (count.fallback === undefined) throw error;
    return countIn(ctx, count.fallback);
  }
}

function accountKey({ email }: LoginAttempt): string {
  return `login:account:${sha256Hex(toAddressKey(email))}`;
}

function attackKey({ email, peer }: LoginAttempt): string {
  return `login:attack:${sha256Hex(`${toAddressKey(email)} ${peer}`)}`;
}

function clientKey({ email, peer, device }: LoginAttempt): string {
  const client = device === null ? peer : `device ${device}`;
  return `login:client:${sha256Hex(`${toAddressKey(email)} ${client}`)}`;
}

/** Only wrong passwords count. An outage or a full queue on our side must not lock users out. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_login';
}
