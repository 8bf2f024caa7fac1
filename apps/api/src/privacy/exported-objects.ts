import type { Email } from '@posthorn/contract';
import { listMembers } from '@posthorn/domain/accounts';
import { listKeys } from '@posthorn/domain/api-keys';
import { listAuditEntries } from '@posthorn/domain/audit-log';
import { describeDomains, listDomains } from '@posthorn/domain/domains';
import {
  type EmailDetail,
  explainEmail,
  findEmail,
  findSmallEmails,
  listAttempts,
  listEmails,
  listEvents,
  renderStoredContent,
} from '@posthorn/domain/emails';
import { listErasures } from '@posthorn/domain/erasure';
import { findLogEnd, readEventLog } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { findVersionRecord, listTemplates, listVersions } from '@posthorn/domain/templates';
import { listWebhooks } from '@posthorn/domain/webhooks';
import { getMode, reportUsage, toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import type { Db, ListPage, Pagination } from '@posthorn/platform/postgres';
import { readExport } from '@posthorn/platform/replica';
import { viewWorkspace } from '../accounts/session.js';
import { viewKey } from '../api-keys/routes.js';
import { viewAuditEntry } from '../audit-log/routes.js';
import type { ApiContext } from '../context/api-context.js';
import { viewDomain } from '../domains/routes.js';
import { viewEmail } from '../emails/view.js';
import { viewEvent } from '../events/routes.js';
import { viewMember } from '../members/routes.js';
import { viewSuppression } from '../suppressions/routes.js';
import { viewTemplate } from '../templates/routes.js';
import { viewVersion } from '../templates/version-routes.js';
import { viewUsage } from '../usage/routes.js';
import { viewWebhook } from '../webhooks/routes.js';
import { viewErasure } from './erasure-routes.js';

/**
 * What the API can show of a live workspace and its test mail, as the API shows it. Webhook deliveries, secrets and the
 * bytes of attachments are left out. Settings come first, then emails, newest first, and events, oldest first. Between
 * two objects, no connection to Postgres is held.
 */
export async function* listExportedObjects(ctx: ApiContext, workspace: Workspace): AsyncGenerator<object> {
  const test = toTestWorkspace(workspace);
  const modes = test === null ? [workspace] : [workspace, test];
  yield viewWorkspace(ctx, workspace);
  yield viewUsage(workspace, await reportUsage(ctx, workspace));
  for (const member of await listMembers(ctx, workspace.id)) yield viewMember(member, ctx.now());
  yield* listExportedSettings(ctx, workspace);
  yield* listExportedTemplates(ctx, workspace.id);
  for (const one of modes) yield* listExportedWebhooks(ctx, one);
  for (const one of modes) yield* listExportedEmails(ctx, one);
  for (const one of modes) yield* listExportedEvents(ctx, one);
}

async function* listExportedSettings(ctx: ApiContext, { id: workspaceId }: Workspace): AsyncGenerator<object> {
  for await (const key of listEveryRow((page) => listKeys(ctx.db, { workspaceId, revoked: null }, page)))
    yield viewKey(key);
  for await (const domain of listEveryRow((page) => listDomains(ctx.db, workspaceId, page)))
    for (const described of await describeDomains(ctx, [domain])) yield viewDomain(described);
  const filters = { workspaceId, action: null, actorId: null, targetId: null };
  for await (const entry of listEveryRow((page) => readExport(ctx, (db) => listAuditEntries(db, filters, page))))
    yield viewAuditEntry(entry);
  for await (const suppression of listEveryRow((page) =>
    readExport(ctx, (db) => listSuppressions(db, workspaceId, {}, page)),
  ))
    yield viewSuppression(suppression);
  for await (const erasure of listEveryRow((page) => listErasures(ctx.db, workspaceId, page)))
    yield viewErasure(erasure);
}

async function* listExportedTemplates({ db }: ApiContext, workspaceId: string): AsyncGenerator<object> {
  for await (const template of listEveryRow((page) => listTemplates(db, workspaceId, page))) {
    yield viewTemplate(template);
    const { id } = template;
    const none = { rows: [], nextCursor: null };
    const versions = listEveryRow(async (page) => (await listVersions(db, workspaceId, id, page)) ?? none);
    for await (const { version } of versions) {
      const record = await findVersionRecord(db, workspaceId, id, version);
      if (record) yield viewVersion(record);
    }
  }
}

async function* listExportedWebhooks({ db }: ApiContext, workspace: Workspace): AsyncGenerator<object> {
  for await (const webhook of listEveryRow((page) => listWebhooks(db, workspace.id, page)))
    yield viewWebhook(webhook, getMode(workspace));
}

/** The log up to where it ends now, so that the export of a busy workspace ends too. */
async function* listExportedEvents({ db }: ApiContext, workspace: Workspace): AsyncGenerator<object> {
  const end = BigInt((await findLogEnd(db)).position);
  const query = { limit: limits.pageSize.max, type: null, emailId: null };
  let after = null;
  let hasMore = true;
  while (hasMore && (after === null || BigInt(after.position) <= end)) {
    const page = await readEventLog(db, workspace, { ...query, after });
    yield* page.events.map(viewEvent);
    ({ next: after, hasMore } = page);
  }
}

const PAGE: Pagination = { limit: 50, after: null, before: null };

/** Every email of the workspace with its content, newest first. Emails that are accepted in the meantime are left out. */
async function* listExportedEmails(ctx: ApiContext, workspace: Workspace): AsyncGenerator<Email> {
  let after: string | null = null;
  do {
    const pagination: Pagination = { ...PAGE, after };
    const { page, ids, small } = await readExport(ctx, (db) => readPage(db, workspace, pagination));
    for (const id of ids) {
      const email = small.get(id) ?? (await readExport(ctx, (db) => findLargeEmail(db, workspace, id)));
      // Retention may have deleted it since the list was read.
      if (!email) continue;
      const content = await renderStoredContent(ctx.accepting, workspace.id, email);
      yield viewEmail({ ...email, content }, getMode(workspace), explainEmail(email, ctx.now()));
    }
    after = page.nextCursor;
  } while (after !== null);
}

async function readPage(db: Db, workspace: Workspace, pagination: Pagination) {
  const page = await listEmails(db, workspace.id, {}, pagination);
  const ids = page.rows.map(({ id }) => id);
  return { page, ids, small: await findSmallEmails(db, workspace.id, ids) };
}

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
async function readOlder<Row>(read: Parameters<typeof listEveryRow<Row>>[0], after: string | null): Promise<Row[]> {
  const rows: Row[] = [];
  if (after === null) return rows;
  for await (const row of listEveryRow(read, { limit: limits.pageSize.max, after, before: null })) rows.push(row);
  return rows.toReversed();
}

const FIRST: Pagination = { limit: limits.pageSize.max, after: null, before: null };

/** Yields the rows of a list, page by page, from the newest on. */
async function* listEveryRow<Row>(
  read: (pagination: Pagination) => Promise<ListPage<Row>>,
  first: Pagination = FIRST,
): AsyncGenerator<Row> {
  let { after } = first;
  do {
    const { rows, nextCursor } = await read({ ...first, after });
    yield* rows;
    after = nextCursor;
  } while (after !== null);
}
