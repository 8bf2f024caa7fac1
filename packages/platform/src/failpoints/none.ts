/**
 * Where a fault run may stop a process: one point for each distinct state that a crash can leave behind, in the order
 * in which an email passes through them.
 */
export const failpointNames = [
  'before_admission',
  'after_admission',
  'after_staging',
  'before_commit',
  'after_commit',
  'after_announce',
  'before_response',
  'after_claim',
  'before_data',
  'after_data',
  'after_reply',
  'after_marker',
  'after_outcome',
  'before_report_commit',
  'after_report_commit',
  'before_reports_applied',
  'after_reports_applied',
] as const;

export type FailpointName = (typeof failpointNames)[number];

/** Does nothing, and V8 removes the call. Every process that is not started for a fault run loads this version. */
export function failpoint(_name: FailpointName): void {}
