import type { ErasureDetail, Erasure as ErasureJson } from '@posthorn/contract';
import {
  type Erasure,
  findErasure,
  listErasures,
  listRemainingEmailIds,
  requestErasure,
} from '@posthorn/domain/erasure';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { AddressError } from '@posthorn/domain/format';
import { isId } from '@posthorn/platform/values';
import { toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';

const path = '/api/v1/erasures';

export const erasureRoutes = [
  defineRoute({
    operationId: 'eraseRecipient',
    method: 'delete',
    path: '/api/v1/recipients/:address',
    access: 'owner',
    summary: 'Erase a recipient from all emails; this cannot be undone',
    success: 202,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, params } = request;
      const wanted = { workspaceId: caller.workspace.liveId, address: params.address ?? '' };
      try {
        return { status: 202, body: viewErasure(await requestErasure(ctx, toActor(request), wanted)) };
      } catch (error) {
        if (error instanceof AddressError) throw invalid({ field: 'address', message: error.message });
        throw error;
      }
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listErasures',
    method: 'get',
    path,
    access: 'owner',
    summary: 'List requests to erase a recipient, newest first',
    query: buildListQuery(),
    async handle(ctx, { caller, query }) {
      const page = await listErasures(ctx.db, caller.workspace.liveId, toPagination(query));
      return { status: 200, body: viewList(page, viewErasure) };
    },
  }),

  defineRoute({
    operationId: 'getErasure',
    method: 'get',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Retrieve a request to erase a recipient, with its progress',
    async handle(ctx, { caller, params: { id = '' } }) {
      const erasure = isId(id) ? await findErasure(ctx.db, caller.workspace.liveId, id) : null;
      if (!erasure) throw new Refusal('not_found', { what: 'erasure' });
      return { status: 200, body: viewErasureDetail(erasure, await listRemainingEmailIds(ctx.db, id)) };
    },
  }),
];

export function viewErasure(erasure: Erasure): ErasureJson {
  return {
    object: 'erasure',
    id: erasure.id,
    status: erasure.status,
    erased_emails: erasure.erasedEmails,
    waiting_emails: erasure.waitingEmails,
    requested_at: erasure.requestedAt.toISOString(),
    finished_at: erasure.finishedAt?.toISOString() ?? null,
  };
}

function viewErasureDetail(erasure: Erasure, waitingEmailIds: string[]): ErasureDetail {
  return { ...viewErasure(erasure), waiting_email_ids: waitingEmailIds };
}
