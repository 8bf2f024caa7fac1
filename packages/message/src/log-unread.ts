import { type Context, isUnavailable } from '@posthorn/domain';

/** Logs that part of an email could not be read from Postgres. The email waits. */
export function logUnread({ log }: Pick<Context, 'log'>, emailId: string, error: unknown): void {
  log[isUnavailable(error) ? 'warn' : 'error']({ error, emailId }, 'content_not_read');
}
