import type { AttachmentContent } from './attachment-content.js';

/** A file to send with an email. */
export type Attachment = {
  readonly filename: string;
  readonly contentType: string;
  /** Set if the html shows the file, as in `<img src="cid:logo">`. */
  readonly contentId: string | null;
  readonly content: AttachmentContent;
};

/** An attachment of a stored email. Its bytes are read separately, by their hash. */
export type StoredAttachment = Omit<Attachment, 'content'> & {
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** In bytes, before encoding. */
  readonly size: number;
};

/** `objectKey` is null if its content is in Postgres. */
export type ClaimedAttachment = StoredAttachment & { readonly objectKey: string | null };
