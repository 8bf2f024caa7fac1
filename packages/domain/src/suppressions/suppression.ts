import type { SuppressionReason } from '@posthorn/contract';

/** An address that gets no mail, or no mail of one topic. */
export type Suppression = {
  readonly id: string;
  /** The live workspace, or `EVERY_WORKSPACE`. */
  readonly workspaceId: string;
  /** In lower case; null after the recipient was erased. */
  readonly address: string | null;
  /** null for all mail, as for every bounce and complaint. An `unsubscribe` without a topic is for all topics. */
  readonly topic: string | null;
  readonly reason: SuppressionReason;
  /** The email that led to it; null if none did. */
  readonly emailId: string | null;
  /** What the mail server or the user said about it. */
  readonly detail: string | null;
  readonly createdAt: Date;
};

/**
 * Whether a suppression of the recipient applies to an email. Only mail with a topic is mail that one can unsubscribe
 * from. Mail without a topic, such as a receipt, is for everyone who has not bounced or complained.
 */
export function applies(
  { reason, topic }: Pick<Suppression, 'reason' | 'topic'>,
  topicOfEmail: string | null,
): boolean {
  if (topic !== null) return topic === topicOfEmail;
  return reason !== 'unsubscribe' || topicOfEmail !== null;
}
