import { Refusal } from '@posthorn/domain/errors';
import { addressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { openSharedLimiter, type SharedLimiter } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { keys } from '@posthorn/platform/redis';
import { sha256Hex } from '@posthorn/platform/secrets';

const WINDOW_MINUTES = 15;
/**
 * NIST SP 800-63B, section 5.2.2, allows 100 failed logins to an account. More failures than that mean an attack from
 * many networks. From then on, each network gets only a few tries. It still gets some, because the attack must not lock
 * out the account's user.
 */
const ACCOUNT_WINDOW_MINUTES = 60;

export type LoginAttempt = {
  /** The client's IP address, or its network. */
  readonly peer: string;
  /** The email address that the client tries, whether or not it has an account. */
  readonly email: string;
  /** Identifies a device that has logged in to this account before; null for every other device. */
  readonly device: string | null;
};

export type LoginLimiter = {
  /**
   * Runs `work` unless too many attempts have failed. If `work` throws invalid_login, the attempt counts as failed.
   * @throws Refusal rate_limited, and any error that `work` throws
   */
  guard<Result>(attempt: LoginAttempt, work: () => Promise<Result>): Promise<Result>;
  /** Counts a request for a reset link. @throws Refusal rate_limited */
  countReset(peer: string): Promise<void>;
  /** Counts a sign-up, whether or not it succeeds. @throws Refusal rate_limited */
  countSignUp(peer: string): Promise<void>;
  /** Forgets failed attempts, so that the account's user can try again at once. */
  clearFailures(attempt: LoginAttempt): Promise<void>;
};

type Count = {
  readonly counter: SharedLimiter;
  readonly key: string;
  /** Counts the attempt instead if this counter is full. */
  readonly fallback?: Count;
};

/**
 * Slows down password guessing against one account, and against many accounts from one IP address. Failures are counted
 * per account and client, so that nobody can lock out an account's user with wrong passwords. A client is a known
 * device or a network.
 */
export function openLoginLimiter(ctx: Pick<Context, 'redis'>): LoginLimiter {
  const count = (limit: number, what: string, windowMinutes = WINDOW_MINUTES) =>
    openSharedLimiter(ctx, { limit, windowMinutes, what });
  const byClient = count(limits.failedLogins.max, 'failed logins');
  const byAddress = count(limits.failedLoginsFromNetwork.max, 'failed logins from one IP address');
  const byAccount = count(limits.failedLoginsToAccount.max, 'failed logins to one account', ACCOUNT_WINDOW_MINUTES);
  const duringAttack = count(limits.failedLoginsDuringAttack.max, 'failed logins', ACCOUNT_WINDOW_MINUTES);
  const resets = count(limits.passwordResets.max, 'password resets');
  const signUps = count(limits.signUps.max, 'sign-ups from one IP address');

  /** The narrowest limit comes first, so that an attempt it refuses does not count toward limits shared with others. */
  function countsOf(attempt: LoginAttempt): Count[] {
    const ofClient = { counter: byClient, key: clientKey(attempt) };
    if (attempt.device !== null) return [ofClient];
    return [
      ofClient,
      { counter: byAddress, key: keys.login('address', sha256Hex(attempt.peer)) },
      { counter: byAccount, key: accountKey(attempt), fallback: { counter: duringAttack, key: attackKey(attempt) } },
    ];
  }

  return {
    async guard(attempt, work) {
      const counts: Count[] = [];
      for (const count of countsOf(attempt)) counts.push(await countIn(count));
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
      await duringAttack.clear(attackKey(attempt));
    },
  };
}

/** @returns the counter that counted the attempt @throws Refusal rate_limited */
async function countIn(count: Count): Promise<Count> {
  try {
    await count.counter.count(count.key);
    return count;
  } catch (error) {
    if (count.fallback === undefined) throw error;
    return countIn(count.fallback);
  }
}

function accountKey({ email }: LoginAttempt): string {
  return keys.login('account', sha256Hex(addressKey(email)));
}

function attackKey({ email, peer }: LoginAttempt): string {
  return keys.login('attack', sha256Hex(`${addressKey(email)} ${peer}`));
}

function clientKey({ email, peer, device }: LoginAttempt): string {
  return keys.login('client', sha256Hex(`${addressKey(email)} ${device === null ? peer : `device ${device}`}`));
}

/** Only wrong passwords count. An outage or a full queue on our side must not lock users out. */
function isFailure(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'invalid_login';
}
