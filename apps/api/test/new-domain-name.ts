import { randomBytes } from 'node:crypto';

/** A name that no other test uses, because only one workspace can have a verified domain with a name. */
export function newDomainName(label: string): string {
  return `${label}-${randomBytes(6).toString('hex')}.example`;
}
