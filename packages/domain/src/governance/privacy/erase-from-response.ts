import { ERASED_DOMAIN, ERASED_SUBJECT } from './erased-values.js';
import type { ResponseToErase } from './stored-responses-store.js';

/**
 * Erases the subject and the address from the stored response to a request to send email. A repeated request still gets
 * a response and sends nothing.
 * @param address in lower case
 */
export function eraseFromResponse({ response, emailIds }: ResponseToErase, address: string): string {
  return JSON.stringify(JSON.parse(response), (_name, value) => {
    if (!isErasedEmail(value, emailIds)) return value;
    const to = value.to.map((entry, index) =>
      isAddress(entry, address) ? `erased-${index + 1}@${ERASED_DOMAIN}` : entry,
    );
    return { ...value, to, subject: ERASED_SUBJECT };
  });
}

function isErasedEmail(value: unknown, ids: readonly string[]): value is { to: string[] } {
  const { id, to } = (value ?? {}) as { id?: unknown; to?: unknown };
  return typeof id === 'string' && ids.includes(id) && Array.isArray(to);
}

function isAddress(entry: string, address: string): boolean {
  const lower = entry.toLowerCase();
  return lower === address || lower.endsWith(`<${address}>`);
}
