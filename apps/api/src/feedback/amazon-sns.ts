import { Refusal } from '@posthorn/domain/errors';
import { type FeedbackRelay, pinTopic } from '@posthorn/domain/relays';
import type { Verification } from '@posthorn/feedback/providers';
import type { ApiContext } from '../context/api-context.js';
import { noteRefusal } from './note-feedback.js';

type Confirmation = Extract<Verification, { result: 'confirm' }>;

/**
 * Confirms the subscription by visiting its URL once, and pins the topic. A repetition of the confirmation is already done.
 * @throws Refusal unavailable if Amazon SNS could not be reached; it then tries again
 */
export async function confirmTopic(
  ctx: ApiContext,
  relay: FeedbackRelay,
  confirmation: Confirmation,
): Promise<'confirmed' | 'other_topic'> {
  if (relay.topic === confirmation.topic && relay.confirmation === confirmation.messageId) return 'confirmed';
  const { confirmations } = ctx.feedback;
  const key = `${relay.id} ${confirmation.messageId}`;
  const running =
    confirmations.get(key) ?? visitAndPin(ctx, relay, confirmation).finally(() => confirmations.delete(key));
  confirmations.set(key, running);
  return running;
}

async function visitAndPin(
  ctx: ApiContext,
  relay: FeedbackRelay,
  { topic, url, messageId }: Confirmation,
): Promise<'confirmed' | 'other_topic'> {
  const fetched = await ctx.feedback.fetchSns(url);
  if ('error' in fetched) {
    await noteRefusal(
      ctx,
      relay.id,
      'not_confirmed',
      `The SNS topic ${topic} could not be confirmed: ${fetched.error}.`,
    );
    throw new Refusal('unavailable');
  }
  return (await pinTopic(ctx.db, relay.id, { topic, confirmation: messageId })) ? 'confirmed' : 'other_topic';
}
