import type { EmailEvent, EmailSummary, ListPage, Pagination } from '@posthorn/domain';

/**
 * Adds the first event of an email to the last page of the list. That event is not stored, because the email itself
 * contains the same information. Its id is the id of the email, which is older than the ids of all other events.
 * @param page newest first
 */
export function withFirstEvent(
  page: ListPage<EmailEvent>,
  email: EmailSummary,
  { limit, after, before }: Pagination,
): ListPage<EmailEvent> {
  if (page.nextCursor !== null || before !== null || after === email.id) return page;
  const oldest = page.rows.at(-1);
  if (oldest !== undefined && page.rows.length >= limit) return { rows: page.rows, nextCursor: oldest.id };
  return { rows: [...page.rows, firstEventOf(email)], nextCursor: null };
}

function firstEventOf({ id, createdAt, scheduledAt }: EmailSummary): EmailEvent {
  return { id, type: scheduledAt === null ? 'queued' : 'scheduled', recipient: null, detail: null, createdAt };
}
