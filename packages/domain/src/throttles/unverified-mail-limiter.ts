import { addressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { keys } from '@posthorn/platform/redis';
import { sha256Hex } from '@posthorn/platform/secrets';
import { openSharedLimiter } from './shared-limiter.js';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 1_440;

/** Counts mail before it is accepted. `source` is the hash of the client's network. @throws Refusal rate_limited */
export type UnverifiedMailLimiter = {
  /** Counts a link that verifies an address. */
  countLink(link: { email: string; source: string }): Promise<void>;
  /** Counts emails that an unverified account sends to its own address. */
  countSends(source: string, emails: number): Promise<void>;
};

/**
 * Anyone can sign up with any address, which makes the service send mail to that address. These limits keep attackers
 * from flooding one address or many. The limit for one network is checked first, so that one network alone cannot use
 * up the shared limits.
 */
export function openUnverifiedMailLimiter(ctx: Pick<Context, 'redis'>): UnverifiedMailLimiter {
  const count = (limit: number, windowMinutes: number, what: string) =>
    openSharedLimiter(ctx, { limit, windowMinutes, what });
  const linksFromNetwork = count(
    limits.verificationMailsFromNetwork.max,
    HOUR_MINUTES,
    'confirmation links from one IP address',
  );
  const linksToAddress = count(limits.verificationMails.max, DAY_MINUTES, 'confirmation links to one address');
  const linksInTotal = count(
    limits.verificationMailsInTotal.max,
    HOUR_MINUTES,
    'confirmation links to all new accounts',
  );
  const sendsFromNetwork = count(
    limits.unverifiedSendsFromNetwork.max,
    HOUR_MINUTES,
    'emails from unconfirmed accounts that were created from one IP address',
  );
  const sendsInTotal = count(
    limits.unverifiedSendsInTotal.max,
    HOUR_MINUTES,
    'emails from all unconfirmed accounts together',
  );
  return {
    async countLink({ email, source }) {
      await linksFromNetwork.count(keys.unverified('links', 'network', source));
      await linksToAddress.count(keys.unverified('links', 'address', sha256Hex(addressKey(email))));
      await linksInTotal.count(keys.unverifiedInTotal('links'));
    },
    async countSends(source, emails) {
      for (let counted = 0; counted < emails; counted += 1) {
        await sendsFromNetwork.count(keys.unverified('sends', 'network', source));
        await sendsInTotal.count(keys.unverifiedInTotal('sends'));
      }
    },
  };
}
