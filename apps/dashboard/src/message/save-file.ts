import type { MessageFile } from './parse-message';

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
