import {
  type CreateSuppressionRequest,
  type Suppression as SuppressionJson,
  type SuppressionReason,
  suppressionReasons,
} from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { parseBareAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import {
  addSuppression,
  findSuppressionById,
  importSuppressions,
  listSuppressions,
  removeSuppression,
  type Suppression,
  type SuppressionFilters,
} from '@posthorn/domain/suppressions';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { assertNoPageOfExport, buildCsvResponse } from '../csv/csv-export.js';
import { runInContentTurn } from '../request-steps/take-turn.js';
import { keysThat } from '../routing/access.js';
import { requireLiveMail, toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { withAliases } from '../validation/field-rules.js';
import { bareAddress, buildAddress, buildName, topicSchema } from '../validation/field-schemas.js';
import { exportSuppressions, parseImport } from './suppression-csv.js';

type SuppressionsQuery = PaginationQuery & {
  reason?: SuppressionReason;
  topic?: string;
  address?: string;
  format?: 'csv';
};

function toFilters({ reason, topic: only, address }: SuppressionsQuery): SuppressionFilters {
  return { reason, topic: only, address };
}

type DeleteSuppressionQuery = { because?: string };

const path = '/api/v1/suppressions';

export const suppressionRoutes = [
  defineRoute<CreateSuppressionRequest>({
    operationId: 'createSuppression',
    method: 'post',
    path,
    access: keysThat.changeSuppressions,
    summary: 'Suppress an address; if it already is, the response is the same',
    success: 201,
    body: Joi.object<CreateSuppressionRequest>({
      address: withAliases(buildAddress(parseBareAddress), 'email', 'email_address', 'recipient').required(),
      reason: Joi.valid('manual').messages({
        'any.only': 'must be manual. To add suppressions with another reason, import them as CSV',
      }),
      topic: topicSchema.allow(null),
    }),
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { address, topic = null } = request.body;
      const workspaceId = requireLiveMail(request.caller, 'suppressions');
      const added = await addSuppression(ctx, toActor(request), workspaceId, { address, topic, detail: null });
      return { status: 201, body: viewSuppression(added) };
    },
  }),

  defineRoute<undefined, SuppressionsQuery>({
    operationId: 'listSuppressions',
    method: 'get',
    path,
    access: keysThat.readSuppressions,
    summary: 'List, filter or export suppressed addresses, newest first',
    hasLargePages: true,
    alsoContentType: 'text/csv',
    query: buildListQuery<SuppressionsQuery>({
      reason: Joi.valid(...suppressionReasons),
      topic: topicSchema,
      address: withAliases(bareAddress, 'email', 'recipient'),
      format: Joi.valid('csv').messages({ 'any.only': 'must be csv; without it, the response is JSON' }),
    }),
    async handle(ctx, { caller, query }) {
      assertNoPageOfExport(query, 'suppression');
      const workspaceId = requireLiveMail(caller, 'suppressions');
      const filters = toFilters(query);
      if (query.format === 'csv')
        return buildCsvResponse(exportSuppressions(ctx, workspaceId, filters), 'suppressions.csv');
      const page = await listSuppressions(ctx.db, workspaceId, filters, toPagination(query));
      return { status: 200, body: viewList(page, viewSuppression) };
    },
  }),

  defineRoute({
    operationId: 'getSuppression',
    method: 'get',
    path: `${path}/:id`,
    access: keysThat.readSuppressions,
    summary: 'Retrieve a suppression',
    async handle(ctx, { caller, params: { id = '' } }) {
      const workspaceId = requireLiveMail(caller, 'suppressions');
      const found = isId(id) ? await findSuppressionById(ctx.db, workspaceId, id) : null;
      if (!found) throw new Refusal('not_found', { what: 'suppression' });
      return { status: 200, body: viewSuppression(found) };
    },
  }),

  defineRoute<undefined, DeleteSuppressionQuery>({
    operationId: 'deleteSuppression',
    method: 'delete',
    path: `${path}/:id`,
    access: keysThat.changeSuppressions,
    summary: 'Remove a suppression, so that the address gets mail again',
    query: Joi.object<DeleteSuppressionQuery>({ because: buildName(limits.removalReason.max) }),
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { id = '' } = request.params;
      const { because = null } = request.query;
      const workspaceId = requireLiveMail(request.caller, 'suppressions');
      const removed = isId(id) && (await removeSuppression(ctx, toActor(request), workspaceId, { id, because }));
      if (!removed) throw new Refusal('not_found', { what: 'suppression' });
      return { status: 200, body: { object: 'suppression', id, deleted: true } };
    },
  }),

  defineRoute<Buffer>({
    operationId: 'importSuppressions',
    method: 'post',
    path: `${path}/import`,
    access: keysThat.changeSuppressions,
    summary: 'Import suppressions from a CSV file; either all rows are imported, or none',
    maxCsvBytes: limits.importedBytes.max,
    takesOwnTurns: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const workspaceId = requireLiveMail(request.caller, 'suppressions');
      const readAndStore = async () => {
        const { rows, suppressions } = await parseImport(request.body);
        const added = await importSuppressions(ctx, toActor(request), workspaceId, suppressions);
        return { object: 'suppression_import', rows, added };
      };
      // The workspace then pauses for as long as the import took, so imports keep Postgres busy half of the time at most.
      const body = await runInContentTurn(ctx, request.caller.workspace.liveId, readAndStore, (_, tookMs) => tookMs);
      return { status: 200, body };
    },
  }),
];

export function viewSuppression(suppression: Suppression): SuppressionJson {
  const { id, address, topic, reason, emailId, detail, createdAt } = suppression;
  return {
    object: 'suppression',
    id,
    address,
    topic,
    reason,
    email_id: emailId,
    detail,
    created_at: createdAt.toISOString(),
  };
}
