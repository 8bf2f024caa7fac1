import { type Context, emailLogFields, isUnavailable, type LoggedEmail } from '@posthorn/domain';

/** Logs that part of an email could not be read from Postgres. The email waits. */
export function logUnread({ log }: Pick<Context, 'log'>, email: LoggedEmail, error: unknown): void {
  log[isUnavailable(error) ? 'warn' : 'error']({ error, ...emailLogFields(email) }, 'content_not_read');
}
