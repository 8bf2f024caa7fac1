const MB = 1_000_000;

/** Limits on suppressions. */
export const suppressionLimits = {
  topic: { max: 64, unit: 'characters', of: 'a topic: lowercase letters, digits, - and _' },
  removalReason: { max: 500, unit: 'characters', of: 'because, the reason for removing a complaint' },
  suppressionDetail: { max: 500, unit: 'characters', of: 'why an operator added a suppression' },
  importedRows: { max: 10_000, unit: 'rows', of: 'one import of suppressions, without the header' },
  importedBytes: { max: 1 * MB, unit: 'bytes', of: 'the CSV file of one import of suppressions' },
} as const;
