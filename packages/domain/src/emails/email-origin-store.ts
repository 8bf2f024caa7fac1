import type { Db } from '@posthorn/platform/postgres';
import { toTraceId } from '@posthorn/platform/traces';

/** Which request asked for an email. The service's own mail has no request, and most requests are not traced. */
export type EmailOrigin = {
  /** The X-Request-Id of the request. */
  readonly requestId?: string | null;
  /** The W3C traceparent under which the request was traced, by the client or by us. */
  readonly traceparent?: string | null;
};

export type LoggedEmail = EmailOrigin & { readonly id: string };

/** What every log line about an email contains: its id, and those of the request and the trace that it comes from. */
export function toLogFields({ id, requestId, traceparent }: LoggedEmail): object {
  return {
    emailId: id,
    ...(requestId && { requestId }),
    ...(traceparent && { traceId: toTraceId(traceparent) }),
  };
}

/** @returns null if the content of the email is no longer stored */
export async function findEmailOrigin(db: Db, id: string): Promise<EmailOrigin | null> {
  const row: EmailOrigin | undefined = await db('email_contents')
    .select('request_id as requestId', 'traceparent')
    .where({ email_id: id })
    .first();
  return row ?? null;
}
