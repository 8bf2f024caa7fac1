/**
 * Deletes rows in batches, each in a statement of its own, until one finds fewer than it could delete.
 * @param deleteBatch deletes at most `size` rows. @returns how many it has deleted
 * @param mayContinue called before each batch. If it returns false, the remaining rows are left for a later call
 */
export async function deleteInBatches(
  deleteBatch: (size: number) => Promise<number>,
  size: number,
  mayContinue: () => boolean,
): Promise<void> {
  while (mayContinue()) if ((await deleteBatch(size)) < size) return;
}
