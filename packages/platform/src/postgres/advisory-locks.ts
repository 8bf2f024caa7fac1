/**
 * The numbers of all advisory locks. They are arbitrary, but must stay the same, because an upgrade runs two versions
 * side by side.
 */
export const ADVISORY_LOCKS = {
  /** The transaction that holds it may change the schema. */
  schema: 7_673_784,
  /** The process that holds it runs the migrations. A transaction that changes partitions holds it shared. */
  migrations: 7_673_785,
  /** The transaction that holds it may add and drop partitions. */
  partitions: 7_673_786,
} as const;
