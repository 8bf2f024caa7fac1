import type { Findings } from './finding.js';

/** `withdrawn`: it was verified once, but its records are gone. */
export type DomainStatus = 'pending' | 'verified' | 'withdrawn';

/** A customer's domain; `name` is lower case and in A-labels. */
export type SendingDomain = {
  id: string;
  workspaceId: string;
  name: string;
  status: DomainStatus;
  /** Stands in the record that proves the domain to be this workspace's. */
  ownershipToken: string;
  createdAt: Date;
  verifiedAt: Date | null;
  /** The last check to which DNS gave an answer. */
  checkedAt: Date | null;
  findings: Findings;
};

/** How sure we are of a domain, and since when. */
export type Verification = Pick<SendingDomain, 'status' | 'verifiedAt'> & {
  statusSince: Date;
  /** Verified on the operator's word: what DNS says changes nothing until it proves the domain. */
  verifiedByOperator: boolean;
  /** The first of the failed checks in a row of a verified domain. */
  failingSince: Date | null;
};
