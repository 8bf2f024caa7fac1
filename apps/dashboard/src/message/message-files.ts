import type { MessageFile } from './queries';

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

/** Browsers may read the file after `click` returns. */
const KEPT_MS = 60_000;

/** The browser always saves the file and never shows it, whatever its type. */
export function saveFile({ name, content }: Pick<MessageFile, 'name' | 'content'>): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

const CHUNK_BYTES = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let characters = '';
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    characters += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES));
  return btoa(characters);
}
