/** What replaces the subject. */
export const ERASED_SUBJECT = '(erased)';

/** The domain of the addresses that replace erased ones. RFC 2606, 2 reserves `.invalid`, so they never exist. */
export const ERASED_DOMAIN = 'erased.invalid';

/** Whether an address has replaced one that was erased. */
export function isErasedAddress(address: string): boolean {
  return address.endsWith(`@${ERASED_DOMAIN}`);
}

/** What replaces the lines of an SMTP conversation. */
export const ERASED_CONVERSATION = '-- The conversation was erased';

/**
 * SQL: the address that replaces an erased one. It depends only on the position of the recipient in its email, so it
 * tells nothing about the address, and two erased recipients of one email have different ones.
 */
export function erasedAddressSql(position: string): string {
  return `'erased-' || (${position} + 1) || '@${ERASED_DOMAIN}'`;
}

/** SQL: whether `Name <local@domain>` or `local@domain` is the address `:address`, which is in lower case. */
export function isAddressSql(text: string): string {
  return `(lower(${text}) = :address or right(lower(${text}), length(:address) + 2) = '<' || :address || '>')`;
}
