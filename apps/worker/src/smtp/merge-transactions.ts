import { findNamedDelay } from './named-delay.js';
import { type CommandReply, toDeferral, toWait } from './reply.js';
import type { Transaction } from './transaction-result.js';

/** A transaction of several for one email, and whom it was for. */
export type SentEnvelope = { readonly to: readonly string[]; readonly transaction: Transaction };

/** How transactions without a session are taken. */
type NoSession = {
  /** Whether it says something about all envelopes, if each of them ended like this. */
  readonly isForAll: (transaction: Transaction) => boolean;
  /** What its recipients get otherwise. */
  readonly toReply: (transaction: Transaction) => CommandReply;
};

/**
 * Makes one result of several transactions, so that each recipient has the reply of its own. Only after an ambiguous end,
 * a recipient has none.
 * @param refused the recipients that were in no envelope
 */
export function mergeTransactions(
  refused: ReadonlyMap<string, CommandReply>,
  sent: readonly SentEnvelope[],
  noSession: NoSession,
): Transaction {
  const isForAll = ({ transaction }: SentEnvelope) => isNotTried(transaction) || noSession.isForAll(transaction);
  if (refused.size === 0 && sent[0] && sent.every(isForAll)) return sent[0].transaction;
  const replies = new Map(refused);
  for (const each of sent) for (const [address, reply] of listReplies(each, noSession)) replies.set(address, reply);
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
function isNotTried({ end }: Transaction): boolean {
  return end === 'busy' || end === 'lease_ended' || end === 'withheld';
}

function listReplies(
  { to, transaction }: SentEnvelope,
  { toReply }: NoSession,
): Array<readonly [string, CommandReply]> {
  const forOthers = findReplyForOthers();
  return to.flatMap((address) => {
    const reply = transaction.replies.get(address) ?? forOthers;
    return reply === null ? [] : [[address, withDelay(reply)] as const];
  });

  /** What recipients get that the server did not reply about. */
  function findReplyForOthers(): CommandReply | null {
    const { end, fault } = transaction;
    if (end === 'completed' || end === 'ambiguous') return null;
    if (isNotTried(transaction)) return toWait(fault ?? 'Waits for a free connection');
    return end === 'route_fault' ? toReply(transaction) : toDeferral(fault ?? 'The connection was lost');
  }
}

/** How long a recipient waits at least, if the server says so. */
function withDelay(known: CommandReply): CommandReply {
  const delaySeconds = known.meaning === 'deferred' ? findNamedDelay(known.reply.text) : null;
  return delaySeconds === null ? known : { ...known, delaySeconds };
}
