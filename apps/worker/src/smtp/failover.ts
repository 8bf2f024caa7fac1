import type { OutgoingMessage } from './outgoing-message.js';
import { type CommandReply, isSenderRefusal, mayTryNextRelay } from './reply.js';
import type { Transaction } from './transaction.js';

/** The result of an attempt. If it tried several relays, `route` is the one that gave this result. */
export type SendResult = Transaction & { readonly route: string };

/** No relay could be used. The email waits, and the attempt is not charged. */
export type NoRoute = {
  readonly end: 'no_route';
  /** The phase in which the last relay failed. */
  readonly phase: Transaction['phase'];
  readonly fault: string;
  readonly conversation: readonly string[];
  readonly route: string | null;
};

/** A relay that an attempt tried, and the transaction with it. */
export type TriedRelay = {
  readonly route: string;
  /** The recipients in its envelope. */
  readonly to: readonly string[];
  readonly transaction: Transaction;
};

/**
 * The recipients that may be offered to the next relay: those that this relay refused for now, those for which it sent
 * no reply, and all of them if it refused the sender. There are none if this relay has or may have the message. If it
 * has the message for some recipients, the others wait for the next attempt, so that the outcome is recorded at once.
 */
export function recipientsForNextRelay(
  { envelope }: OutgoingMessage,
  { end, replies }: Transaction,
): readonly string[] {
  if (end === 'lease_ended' || end === 'withheld' || end === 'ambiguous') return [];
  for (const { meaning } of replies.values()) if (meaning === 'accepted') return [];
  return envelope.to.filter((address) => mayTryNextRelay(replies.get(address)));
}

/**
 * Combines the transactions of an attempt into one result: the result from the last relay that was not at fault itself,
 * plus the replies that recipients got from earlier relays.
 * @param tried at least one
 * @param relayCount how many relays there are, including those that were not tried because they are paused
 */
export function combineTransactions(tried: readonly TriedRelay[], relayCount: number): SendResult | NoRoute {
  const conversation = joinConversations(tried);
  const answered = tried.filter(({ transaction }) => transaction.end !== 'route_fault');
  const last = answered.at(-1);
  if (last === undefined) return noRoute(tried, conversation);
  const completed = answered.filter(({ transaction }) => transaction.end === 'completed');
  const replies = combineReplies(answered);
  return {
    ...last.transaction,
    route: last.route,
    replies: completed.length === relayCount ? replies : withoutSenderRefusals(replies),
    conversation,
  };
}

function noRoute(tried: readonly TriedRelay[], conversation: readonly string[]): NoRoute {
  const { route, transaction } = tried.at(-1) as TriedRelay;
  const { phase, fault } = transaction;
  return { end: 'no_route', phase, fault: fault ?? '', conversation, route };
}

/** The last reply for each recipient. */
function combineReplies(answered: readonly TriedRelay[]): Map<string, CommandReply> {
  const replies = new Map<string, CommandReply>();
  for (const { to, transaction } of answered) {
    // The recipients' earlier replies no longer matter, because this relay may have the message.
    if (transaction.end === 'ambiguous') for (const address of to) replies.delete(address);
    for (const [address, reply] of transaction.replies)
      if (!(isSenderRefusal(reply) && replies.get(address)?.meaning === 'deferred')) replies.set(address, reply);
  }
  return replies;
}

/** Unless every relay has refused the sender, the email is deferred, because another relay may accept the sender. */
function withoutSenderRefusals(replies: ReadonlyMap<string, CommandReply>): Map<string, CommandReply> {
  const deferred = (reply: CommandReply): CommandReply =>
    isSenderRefusal(reply) ? { ...reply, meaning: 'deferred' } : reply;
  return new Map([...replies].map(([address, reply]) => [address, deferred(reply)]));
}

/**
 * If several relays were tried, a line before each conversation names the relay, and a line after it says what failed.
 */
function joinConversations(tried: readonly TriedRelay[]): readonly string[] {
  if (tried.length === 1) return tried.flatMap(({ transaction }) => transaction.conversation);
  return tried.flatMap(({ route, transaction: { end, fault, conversation } }) => [
    `-- ${route}`,
    ...conversation,
    ...(end === 'completed' ? [] : [`-- ${fault?.split('\n')[0]}`]),
  ]);
}
