import { listMembers } from '@posthorn/domain/accounts';
import { listKeys } from '@posthorn/domain/api-keys';
import { listAuditEntries } from '@posthorn/domain/audit-log';
import { describeDomains, listDomains } from '@posthorn/domain/domains';
import { listErasures } from '@posthorn/domain/erasure';
import { findLogEnd, readEventLog } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import { listSuppressions } from '@posthorn/domain/suppressions';
import { findVersionRecord, listTemplates, listVersions } from '@posthorn/domain/templates';
import { listWebhooks } from '@posthorn/domain/webhooks';
import { getMode, reportUsage, toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import { readExport } from '@posthorn/platform/replica';
import { viewWorkspace } from '../accounts/view.js';
import { viewKey } from '../api-keys/view.js';
import { viewAuditEntry } from '../audit-log/view.js';
import type { ApiContext } from '../context.js';
import { viewDomain } from '../domains/view.js';
import { viewEvent } from '../events/view.js';
import { viewMember } from '../members/view.js';
import { viewSuppression } from '../suppressions/view.js';
import { viewTemplate, viewVersion } from '../templates/view.js';
import { viewUsage } from '../usage/view.js';
import { viewWebhook } from '../webhooks/view.js';
import { everyRow } from './every-row.js';
import { exportedEmails } from './exported-emails.js';
import { viewErasure } from './view.js';

/**
 * What the API can show of a live workspace and its test mail, as the API shows it. Webhook deliveries, secrets and the
 * bytes of attachments are left out. Settings come first, then emails, newest first, and events, oldest first. Between
 * two objects, no connection to Postgres is held.
 */
export async function* exportedObjects(ctx: ApiContext, workspace: Workspace): AsyncGenerator<object> {
  const test = toTestWorkspace(workspace);
  const modes = test === null ? [workspace] : [workspace, test];
  yield viewWorkspace(ctx, workspace);
  yield viewUsage(workspace, await reportUsage(ctx, workspace));
  for (const member of await listMembers(ctx, workspace.id)) yield viewMember(member, ctx.now());
  yield* exportedSettings(ctx, workspace);
  yield* exportedTemplates(ctx, workspace.id);
  for (const one of modes) yield* exportedWebhooks(ctx, one);
  for (const one of modes) yield* exportedEmails(ctx, one);
  for (const one of modes) yield* exportedEvents(ctx, one);
}

async function* exportedSettings(ctx: ApiContext, { id: workspaceId }: Workspace): AsyncGenerator<object> {
  for await (const key of everyRow((page) => listKeys(ctx.db, { workspaceId, revoked: null }, page)))
    yield viewKey(key);
  for await (const domain of everyRow((page) => listDomains(ctx.db, workspaceId, page)))
    for (const described of await describeDomains(ctx, [domain])) yield viewDomain(described);
  const filters = { workspaceId, action: null, actorId: null, targetId: null };
  for await (const entry of everyRow((page) => readExport(ctx, (db) => listAuditEntries(db, filters, page))))
    yield viewAuditEntry(entry);
  for await (const suppression of everyRow((page) =>
    readExport(ctx, (db) => listSuppressions(db, workspaceId, {}, page)),
  ))
    yield viewSuppression(suppression);
  for await (const erasure of everyRow((page) => listErasures(ctx.db, workspaceId, page))) yield viewErasure(erasure);
}

async function* exportedTemplates({ db }: ApiContext, workspaceId: string): AsyncGenerator<object> {
  for await (const template of everyRow((page) => listTemplates(db, workspaceId, page))) {
    yield viewTemplate(template);
    const { id } = template;
    const none = { rows: [], nextCursor: null };
    const versions = everyRow(async (page) => (await listVersions(db, workspaceId, id, page)) ?? none);
    for await (const { version } of versions) {
      const record = await findVersionRecord(db, workspaceId, id, version);
      if (record) yield viewVersion(record);
    }
  }
}

async function* exportedWebhooks({ db }: ApiContext, workspace: Workspace): AsyncGenerator<object> {
  for await (const webhook of everyRow((page) => listWebhooks(db, workspace.id, page)))
    yield viewWebhook(webhook, getMode(workspace));
}

/** The log up to where it ends now, so that the export of a busy workspace ends too. */
async function* exportedEvents({ db }: ApiContext, workspace: Workspace): AsyncGenerator<object> {
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
