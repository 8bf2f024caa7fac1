import type { AuditTarget, DomainStatus, RecordStatus } from '@posthorn/contract';
import { conflict, type Refusal } from '@posthorn/domain/errors';
import { findSqlState, sqlStates } from '@posthorn/platform/postgres';

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

/** What the last checks found for one record. */
export type Finding = {
  readonly status: RecordStatus;
  /** The values found in DNS; empty when there are none. */
  readonly found: readonly string[];
  /**
   * What is wrong and what to do about it, in full sentences; null when all is well. A verified record may have a
   * warning.
   */
  readonly message: string | null;
  /** Why the last query failed. The other fields are then from an earlier check. */
  readonly failure: string | null;
};

export const notChecked: Finding = { status: 'pending', found: [], message: null, failure: null };

/** The findings, by the key of the record. */
export type Findings = Readonly<Record<string, Finding>>;

/** The result of evaluating a DNS answer. */
export type RecordEvaluation = Pick<Finding, 'status' | 'message'>;

export const verified: RecordEvaluation = { status: 'verified', message: null };

export function wrong(message: string): RecordEvaluation {
  return { status: 'wrong', message };
}

export function missing(message: string): RecordEvaluation {
  return { status: 'missing', message };
}

export function toDomainTarget({ id, name }: Pick<SendingDomain, 'id' | 'name'>): AuditTarget {
  return { type: 'domain', id, label: name };
}

/** Whether the error came from the unique index that lets only one workspace verify a name. */
export function isNameTaken(error: unknown): boolean {
  return findSqlState(error) === sqlStates.uniqueViolation;
}

export function refuseTakenName(): Refusal {
  return conflict(
    'Another workspace has verified this domain, and only one workspace may send from it. Delete the domain there, or remove that workspace’s _posthorn record from DNS and try again in two days.',
  );
}
