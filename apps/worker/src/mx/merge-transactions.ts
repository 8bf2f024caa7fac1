import type { CommandReply } from '../smtp/reply.js';
import type { Transaction } from '../smtp/transaction.js';
import { toDeferral, toReplyOfFault, toWait, withDelay } from './site-replies.js';

/** A transaction with a site. @property policyOf the domain whose policy demanded TLS; null if none did */
export type SentToSite = {
  readonly to: readonly string[];
  readonly transaction: Transaction;
  readonly policyOf: string | null;
};

/**
 * Makes one result of the transactions with several sites, so that each recipient has the reply of its own. Only after an
 * ambiguous end, a recipient has none.
 * @param refused the recipients that no site was found for
 */
export function mergeTransactions(
  refused: ReadonlyMap<string, CommandReply>,
  sent: readonly SentToSite[],
): Transaction {
  const [first] = sent;
  if (refused.size === 0 && sent.length === 1 && first && isOurEndOrBusy(first.transaction)) return first.transaction;
  if (refused.size === 0 && first && sent.every(({ transaction }) => isOurEndOrBusy(transaction)))
    return first.transaction;
  const replies = new Map(refused);
  for (const each of sent) for (const [address, reply] of toReplies(each)) replies.set(address, reply);
  const ambiguous = sent.find(({ transaction }) => transaction.end === 'ambiguous');
  const shown = (ambiguous ?? sent.at(-1))?.transaction;
  return {
    phase: shown?.phase ?? 'connect',
    end: ambiguous ? 'ambiguous' : 'completed',
    suspicion: null,
    replies,
    fault: ambiguous?.transaction.fault ?? null,
    faultCode: shown?.faultCode ?? null,
    conversation: sent.flatMap(({ transaction }) => transaction.conversation),
  };
}

/** Nothing was sent, and no server is the cause. */
function isOurEndOrBusy({ end }: Transaction): boolean {
  return end === 'busy' || end === 'lease_ended' || end === 'withheld';
}

function toReplies({ to, transaction, policyOf }: SentToSite): Array<readonly [string, CommandReply]> {
  const { end, replies } = transaction;
  const forOthers = findReplyForOthers(transaction, policyOf);
  return to.flatMap((address) => {
    const known = replies.get(address);
    if (known) return [[address, withDelay(known)] as const];
    return end === 'ambiguous' || forOthers === null ? [] : [[address, forOthers] as const];
  });
}

/** What recipients get that the server did not reply about. */
function findReplyForOthers(transaction: Transaction, policyOf: string | null): CommandReply | null {
  const { end, fault } = transaction;
  if (end === 'completed' || end === 'ambiguous') return null;
  if (isOurEndOrBusy(transaction)) return toWait(fault ?? 'Waits for a free connection to the site');
  if (end !== 'route_fault') return toDeferral(fault ?? 'The connection was lost');
  const reply = toReplyOfFault(transaction);
  if (policyOf === null || reply.reply.code !== null) return reply;
  return toDeferral(`No TLS session as the MTA-STS policy of ${policyOf} demands it: ${fault}`);
}
