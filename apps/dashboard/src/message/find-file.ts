import type { MessageFile } from './parse-message';

export type FileDescription = { readonly name: string; readonly contentId: string | null };

/**
 * The file of a message that a list of files describes at `index`. The order differs: in the message, the files that
 * its HTML shows come first. Several files may have the same name, and their order is the same in both.
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
