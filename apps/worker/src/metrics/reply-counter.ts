import type { Counter } from 'prom-client';
import type { Transaction } from '../smtp/transaction.js';

/** Counts the last reply for each recipient of a transaction. If there is none, the connection failed. */
export function replyCounter(replies: Counter<'relay' | 'class'>): (relay: string, transaction: Transaction) => void {
  return (relay, transaction) => {
    for (const { reply } of transaction.replies.values())
      replies.inc({ relay, class: reply.code === null ? 'none' : `${Math.floor(reply.code / 100)}xx` });
    if (transaction.replies.size === 0) replies.inc({ relay, class: 'none' });
  };
}
