import { isId } from '@posthorn/platform/values';

/** What a message that goes out by a relay with feedback is about. */
export type FeedbackKey = { readonly emailId: string; readonly position: number };

/** The key that a provider returns with its events: `<email id as 32 hex digits>.<position>`. */
export function buildFeedbackKey({ emailId, position }: FeedbackKey): string {
  return `${emailId.replaceAll('-', '')}.${position}`;
}

/**
 * @returns null if the text is no key of ours. Another program that uses the same account of the provider may have set the
 * same header
 */
export function parseFeedbackKey(key: string): FeedbackKey | null {
  const [, digits = '', position = ''] = /^([0-9a-f]{32})\.(\d{1,3})$/i.exec(key) ?? [];
  const emailId = digits.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isId(emailId) ? { emailId, position: Number(position) } : null;
}
