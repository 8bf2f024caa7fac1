import type { Attachment, Email } from 'postal-mime';

/** @returns the decoded text of the first part with one of these types; null if there is none */
export function partText(email: Email, types: readonly string[]): string | null {
  const part = email.attachments.find(({ mimeType }) => types.includes(mimeType));
  return part ? textOf(part) : null;
}

export function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}
