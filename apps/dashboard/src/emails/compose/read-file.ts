import type { SendAttachment } from '@posthorn/contract';

/** The type of an .eml file, for example. The API accepts the file, but not the type (RFC 2045, 6.4). */
const COMPOSITE = /^(?:message|multipart)\//i;

/** @throws Error if the browser cannot read the file, for example because it was moved or is a folder */
export function readFile(file: File): Promise<SendAttachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      // A data URL: the base64 follows the comma, even if the file is empty.
      const url = String(reader.result);
      resolve({
        filename: file.name,
        content: url.slice(url.indexOf(',') + 1),
        ...(file.type !== '' && !COMPOSITE.test(file.type) && { content_type: file.type }),
      });
    };
    reader.onerror = () => reject(new Error(`${file.name} could not be read. Choose it again.`));
    reader.readAsDataURL(file);
  });
}
