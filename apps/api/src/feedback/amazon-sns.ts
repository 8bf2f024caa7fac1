import { Refusal } from '@posthorn/domain/errors';
import { type FeedbackRelay, pinTopic } from '@posthorn/domain/relays';
import { cacheCertificates, type FetchCertificate, type Verification } from '@posthorn/feedback/providers';
import { fetchText, type SsrfGuard } from '@posthorn/webhooks';
import type { ApiContext } from '../context/api-context.js';
import { noteRefusal } from './note-feedback.js';

/** A certificate has 2 KB, and the answer to a confirmation less. */
const FETCH = { maxBytes: 64 * 1_024, timeoutMs: 5_000 };

/** Amazon SNS has no such file. */
const isMissing = (statusCode = 0) => statusCode >= 400 && statusCode < 500;

export function createCertificateSource(ssrfGuard: SsrfGuard, now: () => Date): FetchCertificate {
  return cacheCertificates(async (url) => {
    const fetched = await fetchText(ssrfGuard, url, FETCH);
    if ('text' in fetched) return fetched.text;
    if (isMissing(fetched.statusCode)) return null;
    throw new Error(`${fetched.error}.`);
  }, now);
}

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
  const fetched = await fetchText(ctx.ssrfGuard, url, FETCH);
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
