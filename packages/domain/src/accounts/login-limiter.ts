import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { openAttemptCounter } from '../rate-limits/attempt-counter.js';
import { keys } from '../redis/keys.js';
import { sha256Hex } from '../secrets/sha256-hex.js';

const WINDOW_MINUTES = 15;
const MAX_FAILED_LOGINS = 10;
/** Higher, because many people may share one IP address. */
const MAX_FAILED_LOGINS_PER_ADDRESS = 100;
const MAX_RESETS = 10;
/** A sign-up costs a password hash, and its refusal reveals that an address has an account. */
const MAX_SIGN_UPS = 20;

/** The client's IP address, and the email address it tries, with or without an account. */
export type LoginAttempt = { readonly peer: string; readonly email: string };

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
  clearFailures(email: string): Promise<void>;
};

/** Slows down guessing at one account, and guessing at many accounts from one IP address. */
export function openLoginLimiter(ctx: Pick<Context, 'redis'>): LoginLimiter {
  const count = (limit: number, what: string) =>
    openAttemptCounter(ctx, { limit, windowMinutes: WINDOW_MINUTES, what });
  const failuresByAccount = count(MAX_FAILED_LOGINS, 'failed logins');
  const failuresByAddress = count(MAX_FAILED_LOGINS_PER_ADDRESS, 'failed logins from one IP address');
  const resets = count(MAX_RESETS, 'password resets');
  const signUps = count(MAX_SIGN_UPS, 'sign-ups from one IP address');
  const clearFailures = (email: string) => failuresByAccount.clear(accountKey(email));

  return {
    async guard({ peer, email }, work) {
      const account = accountKey(email);
      const address = keys.login('address', sha256Hex(peer));
      await failuresByAddress.count(address);
      await failuresByAccount.count(account);
      const uncount = async () => {
        await failuresByAddress.uncount(address);
        await failuresByAccount.uncount(account);
      };
      const result = await work().catch(async (error) => {
        if (!isFailure(error)) await uncount();
        throw error;
      });
      await uncount();
      await clearFailures(email);
      return result;
    },
    countReset: (peer) => resets.count(keys.login('reset', sha256Hex(peer))),
    countSignUp: (peer) => signUps.count(keys.login('sign-up', sha256Hex(peer))),
    clearFailures,
  };
}

function accountKey(email: string): string {
  return keys.login('account', sha256Hex(email.toLowerCase()));
}

/** Only a wrong password counts: an outage or a full queue on our side must not lock users out. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_login';
}
