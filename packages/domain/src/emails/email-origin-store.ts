import type { Db } from '../database/connect.js';
import { inPipeline, type Statement } from '../database/pipeline.js';
import type { EmailOrigin } from './email-log-fields.js';

/** @returns null if the content of the email is no longer stored */
export async function findEmailOrigin(db: Db, id: string): Promise<EmailOrigin | null> {
  const row: EmailOrigin | undefined = await db('email_contents')
    .select('request_id as requestId', 'traceparent')
    .where({ email_id: id })
    .first();
  return row ?? null;
}

/** The traceparents of those of these emails that have one, by email id. */
export async function findTraceparents(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await inPipeline(db, (send) => send<{ id: string; traceparent: string }>(TRACEPARENTS, [ids]));
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
}

const TRACEPARENTS: Statement = {
  name: 'traceparents',
  text: `
  select email_id as id, traceparent from email_contents
  where email_id = any($1::uuid[]) and traceparent is not null`,
};
