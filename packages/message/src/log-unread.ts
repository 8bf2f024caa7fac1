import { emailLogFields, type LoggedEmail } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';

/** Logs that part of an email could not be read from Postgres. The email waits. */
export function logUnread({ log }: Pick<Context, 'log'>, email: LoggedEmail, error: unknown): void {
  log[isUnavailable(error) ? 'warn' : 'error']({ error, ...emailLogFields(email) }, 'content_not_read');
}
