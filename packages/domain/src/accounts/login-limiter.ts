import { addressKey } from '../addresses/address.js';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { openSharedLimiter, type SharedLimiter } from '../rate-limits/shared-limiter.js';
import { keys } from '../redis/keys.js';
import { sha256Hex } from '../secrets/sha256-hex.js';

const WINDOW_MINUTES = 15;
const MAX_FAILED_LOGINS = 10;
/** Higher, because many people may share one IP address. */
const MAX_FAILED_LOGINS_PER_ADDRESS = 100;
/** From all unknown devices together: NIST SP 800-63B, 5.2.2 allows 100. A known device is not held up by them. */
const MAX_FAILED_LOGINS_PER_ACCOUNT = 100;
const ACCOUNT_WINDOW_MINUTES = 60;
const MAX_RESETS = 10;
/** A sign-up costs a password hash, and its refusal reveals that an address has an account. */
const MAX_SIGN_UPS = 20;

export type LoginAttempt = {
  /** The client's IP address, or its network. */
  readonly peer: string;
  /** The email address it tries, with or without an account. */
  readonly email: string;
  /** Identifies a device that has logged in to this account before; null for every other device. */
  readonly device: string | null;
};

export type LoginLimiter = {
  /**
   * Runs `work` unless too many attempts have failed. If `work` throws invalid_login, the attempt counts as failed.
   * @throws Refusal rate_limited, and any error of `work`
   */
  guard<Result>(attempt: LoginAttempt, work: () => Promise<Result>): Promise<Result>;
  /** Counts a request for a reset link. @throws Refusal rate_limited */
  countReset(peer: string): Promise<void>;
  /** Counts a sign-up, whether or not it succeeds. @throws Refusal rate_limited */
  countSignUp(peer: string): Promise<void>;
  /** Lets the user of an account try again at once. */
  clearFailures(attempt: LoginAttempt): Promise<void>;
};

type Count = { readonly counter: SharedLimiter; readonly key: string };

/**
 * Slows down guessing at one account, and guessing at many accounts from one IP address. Failures are counted per
 * account and client, so that nobody can lock out an account's user with wrong passwords. A client is a known device,
 * or a network.
 */
export function openLoginLimiter(ctx: Pick<Context, 'redis'>): LoginLimiter {
  const count = (limit: number, what: string, windowMinutes = WINDOW_MINUTES) =>
    openSharedLimiter(ctx, { limit, windowMinutes, what });
  const byClient = count(MAX_FAILED_LOGINS, 'failed logins');
  const byAddress = count(MAX_FAILED_LOGINS_PER_ADDRESS, 'failed logins from one IP address');
  const byAccount = count(MAX_FAILED_LOGINS_PER_ACCOUNT, 'failed logins to one account', ACCOUNT_WINDOW_MINUTES);
  const resets = count(MAX_RESETS, 'password resets');
  const signUps = count(MAX_SIGN_UPS, 'sign-ups from one IP address');

  /** The narrowest comes first: what it refuses does not count toward limits that others share. */
  function countsOf(attempt: LoginAttempt): Count[] {
    const ofClient = { counter: byClient, key: clientKey(attempt) };
    if (attempt.device !== null) return [ofClient];
    return [
      ofClient,
      { counter: byAddress, key: keys.login('address', sha256Hex(attempt.peer)) },
      { counter: byAccount, key: accountKey(attempt) },
    ];
  }

  return {
    async guard(attempt, work) {
      const counts = countsOf(attempt);
      for (const { counter, key } of counts) await counter.count(key);
      const uncount = () => Promise.all(counts.map(({ counter, key }) => counter.uncount(key)));
      const result = await work().catch(async (error) => {
        if (!isFailure(error)) await uncount();
        throw error;
      });
      await uncount();
      await byClient.clear(clientKey(attempt));
      return result;
    },
    countReset: (peer) => resets.count(keys.login('reset', sha256Hex(peer))),
    countSignUp: (peer) => signUps.count(keys.login('sign-up', sha256Hex(peer))),
    async clearFailures(attempt) {
      await byClient.clear(clientKey(attempt));
      await byClient.clear(clientKey({ ...attempt, device: null }));
      await byAccount.clear(accountKey(attempt));
    },
  };
}

function accountKey({ email }: LoginAttempt): string {
  return keys.login('account', sha256Hex(addressKey(email)));
}

function clientKey({ email, peer, device }: LoginAttempt): string {
  return keys.login('client', sha256Hex(`${addressKey(email)} ${device === null ? peer : `device ${device}`}`));
}

/** Only a wrong password counts: an outage or a full queue on our side must not lock users out. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_login';
}
