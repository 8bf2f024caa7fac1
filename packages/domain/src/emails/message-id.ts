import { parseAddress, toHost } from '@posthorn/domain/format';
import { isId } from '@posthorn/platform/values';

/**
 * The Message-ID of an email (RFC 5322, 3.6.4), without angle brackets. It is the same on every attempt, so that
 * mail systems can recognize a second copy.
 * @param from as in the header: `Name <local@domain>`
 */
export function buildMessageId(emailId: string, from: string): string {
  return `${emailId}@${toHost(parseAddress(from).address)}`;
}

/**
 * Reads a Message-ID of this service, with or without angle brackets. The part before the @ is the email's id,
 * so finding an email by its Message-ID needs no index. A bare id is accepted too.
 * @returns the email's id and the domain of its sender; null if the text is neither
 */
export function parseMessageId(text: string): { readonly id: string; readonly host: string | null } | null {
  const trimmed = text.trim();
  const bare = trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : trimmed;
  const [id = '', host = null, ...rest] = bare.split('@');
  return isId(id) && host !== '' && rest.length === 0 ? { id: id.toLowerCase(), host } : null;
}
