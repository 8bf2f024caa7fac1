import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { openAttemptCounter } from '../rate-limits/attempt-counter.js';
import { keys } from '../redis/keys.js';
import { sha256Hex } from '../secrets/sha256-hex.js';

const WINDOW_MINUTES = 15;
const MAX_FAILED_LOGINS = 10;
/** Many people may share one address. */
const MAX_FAILED_LOGINS_PER_ADDRESS = 100;
const MAX_RESETS = 10;
/** Each costs a password hash, and its refusal tells that an address has an account. */
const MAX_SIGN_UPS = 20;

/** Who tries to get in: the peer's IP address, and the account that was typed, known or not. */
export type LoginAttempt = { readonly peer: string; readonly email: string };

export type LoginThrottle = {
  /**
   * Runs `work` unless too many failed before; what it refuses stays counted as a failure.
   * @throws Refusal rate_limited, and what `work` throws
   */
  guard<Result>(attempt: LoginAttempt, work: () => Promise<Result>): Promise<Result>;
  /** Counts a request for a reset link. @throws Refusal rate_limited */
  countReset(peer: string): Promise<void>;
  /** Counts a sign-up, whatever becomes of it. @throws Refusal rate_limited */
  countSignUp(peer: string): Promise<void>;
  /** Lets an account's owner try again at once. */
  clearFailures(email: string): Promise<void>;
};

/** Slows down guessing at one account, and guessing at many from one place. */
export function openLoginThrottle(ctx: Pick<Context, 'redis'>): LoginThrottle {
  const count = (limit: number, what: string) =>
    openAttemptCounter(ctx, { limit, windowMinutes: WINDOW_MINUTES, what });
  const atAccount = count(MAX_FAILED_LOGINS, 'failed log-ins');
  const fromAddress = count(MAX_FAILED_LOGINS_PER_ADDRESS, 'failed log-ins from one address');
  const resets = count(MAX_RESETS, 'password resets');
  const signUps = count(MAX_SIGN_UPS, 'sign-ups from one address');
  const clearFailures = (email: string) => atAccount.clear(accountKey(email));

  return {
    async guard({ peer, email }, work) {
      const account = accountKey(email);
      const address = keys.login('address', sha256Hex(peer));
      await fromAddress.count(address);
      await atAccount.count(account);
      const uncount = async () => {
        await fromAddress.uncount(address);
        await atAccount.uncount(account);
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

/** Nobody is to be locked out by an outage of ours. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && error.code !== 'unavailable';
}
