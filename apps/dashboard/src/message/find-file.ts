import type { MessageFile } from './parse-message';

export type FileDescription = { readonly name: string; readonly contentId: string | null };

/**
 * Finds the file that entry `index` of the list describes. The message may have another order: in
 * a message, files shown in its HTML come first. Files with the same name keep their order.
 * @returns undefined if the message has no such file
 */
export function findFile(
  files: readonly MessageFile[],
  list: readonly FileDescription[],
  index: number,
): MessageFile | undefined {
  const wanted = list[index];
  const isSame = ({ name, contentId }: FileDescription) => name === wanted?.name && contentId === wanted.contentId;
  return files.filter(isSame)[list.slice(0, index).filter(isSame).length];
}
