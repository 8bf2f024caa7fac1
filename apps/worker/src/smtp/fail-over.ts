import type { OutgoingMessage } from './outgoing-message.js';
import { type CommandReply, isSenderRefusal, mayTryNextRelay } from './reply.js';
import type { NoRoute, Sent } from './sent.js';
import type { Transaction } from './transaction.js';

/** A transaction of an attempt that went on to another relay. */
export type Tried = {
  readonly route: string;
  /** The recipients in its envelope. */
  readonly to: readonly string[];
  readonly transaction: Transaction;
};

/**
 * The recipients that the next relay may be asked to take: those that the relay refused for now, those it did not
 * reply for, and all of them if it refused the sender. There are none if the relay has the message or may have it.
 * If it has the message for some recipients, the others wait for the next attempt, so that the outcome is recorded
 * at once.
 */
export function recipientsLeft({ envelope }: OutgoingMessage, { end, replies }: Transaction): readonly string[] {
  if (end === 'lease_ended' || end === 'ambiguous') return [];
  for (const { meaning } of replies.values()) if (meaning === 'accepted') return [];
  return envelope.to.filter((address) => mayTryNextRelay(replies.get(address)));
}

/**
 * Makes one result of all transactions of an attempt: the last one with a relay that was not itself at fault, with
 * the replies that recipients got from earlier relays.
 * @param tried at least one
 * @param relayCount how many relays there are, including those that were not tried because they are paused
 */
export function combine(tried: readonly Tried[], relayCount: number): Sent | NoRoute {
  const conversation = conversationOf(tried);
  const answered = tried.filter(({ transaction }) => transaction.end !== 'route_fault');
  const last = answered.at(-1);
  if (last === undefined) return noRoute(tried, conversation);
  const completed = answered.filter(({ transaction }) => transaction.end === 'completed');
  const replies = repliesOf(answered);
  return {
    ...last.transaction,
    route: last.route,
    replies: completed.length === relayCount ? replies : withoutSenderRefusals(replies),
    conversation,
  };
}

function noRoute(tried: readonly Tried[], conversation: readonly string[]): NoRoute {
  const { route, transaction } = tried.at(-1) as Tried;
  const { phase, fault } = transaction;
  return { end: 'no_route', phase, fault: fault ?? '', conversation, route };
}

/** The last reply for each recipient. */
function repliesOf(answered: readonly Tried[]): Map<string, CommandReply> {
  const replies = new Map<string, CommandReply>();
  for (const { to, transaction } of answered) {
    // The recipients' earlier replies do not matter any more, because this relay may have the message.
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

/** If there were several relays, a line before each conversation names its relay, and one after it says what failed. */
function conversationOf(tried: readonly Tried[]): readonly string[] {
  if (tried.length === 1) return tried.flatMap(({ transaction }) => transaction.conversation);
  return tried.flatMap(({ route, transaction: { end, fault, conversation } }) => [
    `-- ${route}`,
    ...conversation,
    ...(end === 'completed' ? [] : [`-- ${fault?.split('\n')[0]}`]),
  ]);
}
