import type { FeedbackKind } from '@posthorn/contract';
import { type FeedbackHeader, providers } from '@posthorn/feedback/providers';

/** How the message of an email differs if it goes out by a certain relay. */
export type Variant = {
  /** The provider whose events we take. Each recipient then gets a message with a key of its own. */
  readonly feedback: FeedbackKind | null;
  /** Headers that the relay replaces, in lower case, so they are not signed. */
  readonly rewritten: readonly string[];
  /** Headers that every copy gets. */
  readonly headers: readonly FeedbackHeader[];
};

/** Amazon SES and Postmark write a Message-ID and a Date of their own. */
const REWRITING_HOSTS = /(?:^|\.)(?:amazonaws\.com(?:\.cn)?|postmarkapp\.com):\d+$/;
const POSTMARK_HOSTS = /(?:^|\.)postmarkapp\.com:\d+$/;
const REWRITTEN = ['message-id', 'date'];

/** @param address `host:port`. @returns null if the relay gets the same message as any other */
export function findVariant(
  { feedback, rewritesIds }: { readonly feedback: FeedbackKind | null; readonly rewritesIds: boolean | null },
  address: string,
): Variant | null {
  const rewrites = rewritesIds ?? (feedback !== null || REWRITING_HOSTS.test(address));
  const headers = POSTMARK_HOSTS.test(address) && feedback === null ? [{ name: 'X-PM-KeepID', value: 'true' }] : [];
  if (feedback === null && !rewrites && headers.length === 0) return null;
  return { feedback, rewritten: rewrites ? REWRITTEN : [], headers };
}

/** The headers of a copy. @param key names the email and the recipient */
export function buildVariantHeaders({ feedback, headers }: Variant, key: string): readonly FeedbackHeader[] {
  return feedback === null ? headers : [...headers, ...providers[feedback].buildHeaders(key)];
}
