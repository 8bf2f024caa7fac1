import type { Email } from '@posthorn/contract';
import {
  type EmailDetail,
  findEmail,
  findSmallEmails,
  listAttempts,
  listEmails,
  listEvents,
  renderStoredContent,
} from '@posthorn/domain/emails';
import { limits } from '@posthorn/domain/limits';
import { getMode, type Workspace } from '@posthorn/domain/workspaces';
import type { Db, Pagination } from '@posthorn/platform/postgres';
import { readExport } from '@posthorn/platform/replica';
import type { ApiContext } from '../context.js';
import { viewEmail } from '../emails/view.js';
import { everyRow } from './every-row.js';

const PAGE: Pagination = { limit: 50, after: null, before: null };

/** Every email of the workspace with its content, newest first. Emails that are accepted in the meantime are left out. */
export async function* exportedEmails(ctx: ApiContext, workspace: Workspace): AsyncGenerator<Email> {
  let after: string | null = null;
  do {
    const pagination: Pagination = { ...PAGE, after };
    const { page, ids, small } = await readExport(ctx, (db) => readPage(db, workspace, pagination));
    for (const id of ids) {
      const email = small.get(id) ?? (await readExport(ctx, (db) => findLargeEmail(db, workspace, id)));
      // Retention may have deleted it since the list was read.
      if (!email) continue;
      const content = await renderStoredContent(ctx.accepting, workspace.id, email);
      yield viewEmail({ ...email, content }, getMode(workspace));
    }
    after = page.nextCursor;
  } while (after !== null);
}

async function readPage(db: Db, workspace: Workspace, pagination: Pagination) {
  const page = await listEmails(db, workspace.id, {}, pagination);
  const ids = page.rows.map(({ id }) => id);
  return { page, ids, small: await findSmallEmails(db, workspace.id, ids) };
}

/** An email with all its attempts and events. */
async function findLargeEmail(db: Db, workspace: Workspace, id: string): Promise<EmailDetail | null> {
  const email = await findEmail(db, workspace.id, id, { withContent: true });
  if (!email) return null;
  const { attemptsNextCursor, eventsNextCursor } = email;
  const attempts = await readOlder((page) => listAttempts(db, id, page), attemptsNextCursor);
  const events = await readOlder((page) => listEvents(db, id, page), eventsNextCursor);
  return {
    ...email,
    attempts: [...attempts, ...email.attempts],
    attemptsNextCursor: null,
    events: [...events, ...email.events],
    eventsNextCursor: null,
  };
}

/** @returns oldest first */
async function readOlder<Row>(read: Parameters<typeof everyRow<Row>>[0], after: string | null): Promise<Row[]> {
  const rows: Row[] = [];
  if (after === null) return rows;
  for await (const row of everyRow(read, { limit: limits.pageSize.max, after, before: null })) rows.push(row);
  return rows.toReversed();
}
