import type { DomainStatus } from '@posthorn/contract';
import type { Findings } from './finding.js';

/** A customer's domain. `name` is in lower case, and its non-ASCII labels are written as A-labels. */
export type SendingDomain = {
  id: string;
  workspaceId: string;
  name: string;
  status: DomainStatus;
  /** The value of the DNS record that proves that the domain belongs to this workspace. */
  ownershipToken: string;
  createdAt: Date;
  verifiedAt: Date | null;
  /** The time of the last check in which at least one DNS query was answered. */
  checkedAt: Date | null;
  findings: Findings;
  /** Whether emails that are accepted from now on report opens. */
  trackOpens: boolean;
  /** Whether emails that are accepted from now on report clicks. */
  trackClicks: boolean;
  /** Whether the last check found the CNAME record of the tracking host. */
  hasTrackingHost: boolean;
};

/** The verification status of a domain, and since when the domain has had it. */
export type Verification = Pick<SendingDomain, 'status' | 'verifiedAt'> & {
  statusSince: Date;
  /** Whether the operator verified the domain. If so, failed checks change nothing until one check has passed. */
  verifiedByOperator: boolean;
  /** When the checks of a verified domain began to fail; null while they pass. */
  failingSince: Date | null;
};
