/**
 * The moments at which a fault run may stop a process: one for each step after which a crash leaves
 * something else behind. In the order in which an email passes them.
 */
export const failpointNames = [
  'before_gate',
  'after_gate',
  'before_commit',
  'after_commit',
  'after_ring',
  'before_answer',
  'after_claim',
  'before_data',
  'after_data',
  'after_reply',
  'after_note',
  'after_outcome',
] as const;

export type FailpointName = (typeof failpointNames)[number];
