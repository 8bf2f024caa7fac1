import { text } from 'node:stream/consumers';
import type { Download } from 'playwright-core';

/** The text of a downloaded file. The browser runs in another process, which keeps the file. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream());
}
