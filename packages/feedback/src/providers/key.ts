/** Under this name, most providers return our key. */
export const META_KEY = 'posthorn_id';

/** Providers that return the headers of the message return it under this name. */
export const KEY_HEADER = 'X-Posthorn-ID';

/** Postmark keeps 80 characters of a value. */
const KEY = /^[A-Za-z0-9_.-]{1,80}$/;

export function isKey(value: unknown): value is string {
  return typeof value === 'string' && KEY.test(value);
}

/** The key goes into a header, sometimes inside JSON, so it must not have a line break or a quotation mark. */
export function checkKey(key: string): string {
  if (!isKey(key))
    throw new Error('The key for a provider must have 1 to 80 letters, digits, hyphens, underscores or dots.');
  return key;
}

/** The value of a property, whose name is compared without case. */
export function findByName(properties: { readonly [name: string]: unknown }, wanted: string): unknown {
  return Object.entries(properties).find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}
