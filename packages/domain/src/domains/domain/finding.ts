import type { RecordStatus } from '@posthorn/contract';

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
export type RateEvaluation = Pick<Finding, 'status' | 'message'>;

export const verified: RateEvaluation = { status: 'verified', message: null };

export function wrong(message: string): RateEvaluation {
  return { status: 'wrong', message };
}

export function missing(message: string): RateEvaluation {
  return { status: 'missing', message };
}
