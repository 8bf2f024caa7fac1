import { hash } from 'node:crypto';

const MAX_KNOWN_CREDENTIALS = 10_000;

export type KnownCredentials = ReturnType<typeof knownCredentials>;

/**
 * Hashes of the credentials that this process has accepted before. A client that sends one of them is not guessing,
 * even if another client at the same address is. When the set is full, the oldest hash is removed.
 */
export function knownCredentials(limit = MAX_KNOWN_CREDENTIALS) {
  const digests = new Set<string>();

  return {
    has: (credential: string) => digests.has(digestOf(credential)),
    add(credential: string): void {
      digests.add(digestOf(credential));
      const [oldest] = digests;
      if (digests.size > limit) digests.delete(oldest as string);
    },
    delete(credential: string): void {
      digests.delete(digestOf(credential));
    },
  };
}

function digestOf(credential: string): string {
  return hash('sha256', credential, 'base64');
}
