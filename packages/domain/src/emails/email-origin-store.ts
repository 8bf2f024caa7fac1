import type { Db } from '@posthorn/platform/postgres';
import type { EmailOrigin } from './email-log-fields.js';

/** @returns null if the content of the email is no longer stored */
export async function findEmailOrigin(db: Db, id: string): Promise<EmailOrigin | null> {
  const row: EmailOrigin | undefined = await db('email_contents')
    .select('request_id as requestId', 'traceparent')
    .where({ email_id: id })
    .first();
  return row ?? null;
}
