import { limits } from '@posthorn/domain/limits';

/**
 * SQL for the time from which an email may no longer be sent. Unless the email has an expires_at, the column
 * `send_before` is null until the email is deferred. While it is null, `due_at` is when the email was first due. A
 * statement that postpones an email stores this time.
 */
export const SEND_BEFORE = `coalesce(send_before, due_at + interval '${limits.maxAgeHours.max} hours')`;
