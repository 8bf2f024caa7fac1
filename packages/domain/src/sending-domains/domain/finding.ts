/** `pending`: DNS has not been asked yet. */
export type RecordStatus = 'pending' | 'verified' | 'missing' | 'wrong';

/** What the last checks found of one record. */
export type Finding = {
  readonly status: RecordStatus;
  /** What DNS has instead or as well; empty when it has nothing. */
  readonly found: readonly string[];
  /** What is wrong and what to do, as a sentence; null when all is well. A verified record may have one too. */
  readonly message: string | null;
  /** Why DNS could not be asked the last time, in which case the rest is from an earlier check. */
  readonly failure: string | null;
};

/** Of a record that DNS has not been asked for yet. */
export const notChecked: Finding = { status: 'pending', found: [], message: null, failure: null };

/** By the record's key. */
export type Findings = Readonly<Record<string, Finding>>;

/** A judgment of what DNS answered. */
export type Evaluation = Pick<Finding, 'status' | 'message'>;

export const verified: Evaluation = { status: 'verified', message: null };

export function wrong(message: string): Evaluation {
  return { status: 'wrong', message };
}

export function missing(message: string): Evaluation {
  return { status: 'missing', message };
}
