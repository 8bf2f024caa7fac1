import type { Email, SendAttachment } from '@posthorn/contract';
import { findFile } from '../../message/find-file';
import type { ParsedMessage } from '../../message/parse-message';
import { toBase64 } from '../../message/to-base64';

type CopiedFiles = {
  readonly attachments: SendAttachment[];
  /** The names of files that could not be copied. */
  readonly missing: readonly string[];
};

/** Takes the files of an email from its message. @param message null if it could not be loaded */
export function copyFiles({ attachments }: Email, message: ParsedMessage | null): CopiedFiles {
  const list = (attachments ?? []).map((file) => ({ ...file, name: file.filename, contentId: file.content_id }));
  const found = list.map((file, index) => ({ file, content: message && findFile(message.files, list, index) }));
  return {
    attachments: found.flatMap(({ file, content }) =>
      content
        ? [
            {
              filename: file.filename,
              content: toBase64(content.content),
              content_type: file.content_type,
              ...(file.content_id !== null && { content_id: file.content_id }),
            },
          ]
        : [],
    ),
    missing: found.flatMap(({ file, content }) => (content ? [] : [file.filename])),
  };
}
