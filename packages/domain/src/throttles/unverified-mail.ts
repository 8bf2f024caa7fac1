import { toMailboxKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';
import { countShared, perDay, perHour, type WindowContext } from './fixed-window.js';

/*
 * Anyone can sign up with any address, which makes the service send mail to that address. These limits keep attackers
 * from flooding one address or many. The limit for one network is checked first, so that one network alone cannot use
 * up the shared limits.
 */
const linksFromNetwork = perHour(limits.verificationMailsFromNetwork.max, 'confirmation links from one IP address');
const linksToAddress = perDay(limits.verificationMails.max, 'confirmation links to one address');
const resetLinksToAddress = perDay(limits.resetLinksUnverified.max, 'reset links to one unconfirmed address');
const linksInTotal = perHour(limits.verificationMailsInTotal.max, 'confirmation links to all new accounts');
const sendsFromNetwork = perHour(
  limits.unverifiedSendsFromNetwork.max,
  'emails from unconfirmed accounts that were created from one IP address',
);
/** For all accounts whose addresses belong to one mailbox. */
const sendsToMailbox = perDay(limits.unverifiedSends.max, 'emails to one unconfirmed address');
const sendsInTotal = perHour(limits.unverifiedSendsInTotal.max, 'emails from all unconfirmed accounts together');

type CountContext = Pick<Context, 'redis'> & WindowContext;

/**
 * Counts a link that verifies an address, before it is mailed.
 * @param source the hash of the client's network
 * @throws Refusal rate_limited
 */
export async function countVerificationLink(
  ctx: CountContext,
  { email, source }: { readonly email: string; readonly source: string },
): Promise<void> {
  await countShared(ctx, linksFromNetwork, `unverified:links:network:${source}`);
  await countShared(ctx, linksToAddress, `unverified:links:address:${sha256Hex(toMailboxKey(email))}`);
  await countShared(ctx, linksInTotal, 'unverified:links');
}

/**
 * Counts a link that resets the password of an unverified account, before it is mailed.
 * @throws Refusal rate_limited
 */
export async function countUnverifiedReset(ctx: CountContext, email: string): Promise<void> {
  await countShared(ctx, resetLinksToAddress, `unverified:resets:address:${sha256Hex(toMailboxKey(email))}`);
}

/**
 * Counts emails that an unverified account sends to its own address, before they are accepted.
 * @param owner with the hash of the network that the account was created from
 * @throws Refusal rate_limited
 */
export async function countUnverifiedSends(
  ctx: CountContext,
  { email, signupSource }: { readonly email: string; readonly signupSource: string },
  emails: number,
): Promise<void> {
  for (let counted = 0; counted < emails; counted += 1) {
    await countShared(ctx, sendsFromNetwork, `unverified:sends:network:${signupSource}`);
    await countShared(ctx, sendsToMailbox, `unverified:sends:address:${sha256Hex(toMailboxKey(email))}`);
    await countShared(ctx, sendsInTotal, 'unverified:sends');
  }
}
