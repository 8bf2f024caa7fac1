import { hash } from 'node:crypto';

const MAX_KNOWN_CREDENTIALS = 10_000;

export type KnownCredentials = ReturnType<typeof knownCredentials>;

/**
 * Credentials that were right before, by their hashes, in this process: whoever shows one again does
 * not guess, though somebody else at his address may. The oldest is forgotten for a new one.
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
