import type { Knex } from 'knex';
import type { StoredAttachment } from './attachment.js';

/** The attachments of an email, in the order of the request. */
export async function listAttachments(db: Knex, emailId: string): Promise<StoredAttachment[]> {
  const rows = await db('email_attachments')
    .select('filename', 'content_type', 'content_id', 'size', db.raw("encode(sha256, 'hex') as sha256"))
    .where({ email_id: emailId })
    .orderBy('position');
  return rows.map(({ filename, content_type, content_id, size, sha256 }) => ({
    filename,
    contentType: content_type,
    contentId: content_id,
    size,
    sha256,
  }));
}
