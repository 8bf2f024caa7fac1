import type { TemplateVersion, TemplateVersionSummary } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import {
  findVersionRecord,
  listVersions,
  restoreVersion,
  type VersionRecord,
  type VersionSummary,
} from '@posthorn/domain/templates';
import { isId } from '@posthorn/platform/values';
import { keysThat } from '../routing/access.js';
import { toActor } from '../routing/caller.js';
import {
  buildListQuery,
  buildNumberCursors,
  NUMBER_CURSOR,
  type PaginationQuery,
  toPagination,
  viewList,
} from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { viewTemplate } from './routes.js';

function toVersion(text: string): number | null {
  return NUMBER_CURSOR.test(text) ? Number(text) : null;
}

const path = '/api/v1/templates/:id/versions';

export const templateVersionRoutes = [
  defineRoute<undefined, PaginationQuery>({
    operationId: 'listTemplateVersions',
    method: 'get',
    path,
    access: 'any',
    summary: 'List the versions of a template, newest first, without bodies',
    hasLargePages: true,
    // Versions have no ids, so their numbers are the cursors.
    query: buildListQuery(buildNumberCursors('a version number from this list')),
    async handle(ctx, { caller, params: { id = '' }, query }) {
      const page = isId(id) ? await listVersions(ctx.db, caller.workspace.liveId, id, toPagination(query)) : null;
      if (!page) throw new Refusal('not_found', { what: 'template' });
      return { status: 200, body: viewList(page, viewVersionSummary) };
    },
  }),

  defineRoute({
    operationId: 'getTemplateVersion',
    method: 'get',
    path: `${path}/:version`,
    access: 'any',
    summary: 'Retrieve a version of a template',
    hasContent: true,
    async handle(ctx, { caller, params: { id = '', version = '' } }) {
      const number = toVersion(version);
      const found =
        isId(id) && number !== null ? await findVersionRecord(ctx.db, caller.workspace.liveId, id, number) : null;
      if (!found) throw new Refusal('not_found', { what: 'template version' });
      return { status: 200, body: viewVersion(found) };
    },
  }),

  defineRoute({
    operationId: 'restoreTemplateVersion',
    method: 'post',
    path: `${path}/:version/restore`,
    access: keysThat.writeTemplates,
    summary: 'Restore a version of a template; its content becomes a new version',
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params: { id = '', version = '' }, request }) {
      const number = toVersion(version);
      const ref = { workspaceId: caller.workspace.liveId, id };
      const restored =
        isId(id) && number !== null ? await restoreVersion(ctx, toActor({ caller, request }), ref, number) : null;
      if (!restored) throw new Refusal('not_found', { what: 'template version' });
      return { status: 200, body: viewTemplate(restored) };
    },
  }),
];

function viewVersionSummary(version: VersionSummary): TemplateVersionSummary {
  return {
    object: 'template_version',
    template_id: version.templateId,
    version: version.version,
    subject: version.subject,
    variables: [...version.variables],
    created_at: version.createdAt.toISOString(),
  };
}

export function viewVersion(version: VersionRecord): TemplateVersion {
  return { ...viewVersionSummary(version), html_body: version.htmlBody, text_body: version.textBody };
}
