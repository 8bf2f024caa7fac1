import type { CreateApiKeyRequest } from '@posthorn/contract';
import { createKey, listKeys, revokeKey } from '@posthorn/domain/api-keys';
import { Refusal } from '@posthorn/domain/errors';
import { isId } from '@posthorn/platform/values';
import { sessionOf } from '../accounts/session-of.js';
import { actorOf } from '../audit-log/actor-of.js';
import { toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { createKeyBody, type KeysQuery, keysQuery } from './request.js';
import { viewKey } from './view.js';

const path = '/api/v1/api-keys';

export const apiKeyRoutes = [
  route<CreateApiKeyRequest>({
    operationId: 'createApiKey',
    method: 'post',
    path,
    access: 'owner',
    summary: 'Create an API key; it is shown only in this response',
    success: 201,
    problems: ['conflict'],
    body: createKeyBody,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, body, request }) {
      const fields = {
        name: body.name,
        scopes: body.scopes,
        mode: body.mode ?? ('live' as const),
        domainIds: body.domain_ids ?? null,
        networks: body.networks ?? null,
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
        sessionId: sessionOf(caller).id,
      };
      const { key, text } = await createKey(ctx, actorOf({ caller, request }), caller.workspace.id, fields);
      return { status: 201, body: { ...viewKey(key), key: text } };
    },
  }),

  route<undefined, KeysQuery>({
    operationId: 'listApiKeys',
    method: 'get',
    path,
    access: 'session',
    summary: 'List API keys, newest first; revoked=true lists only revoked keys, revoked=false all other keys',
    query: keysQuery,
    async handle(ctx, { caller, query }) {
      const revoked = query.revoked === undefined ? null : query.revoked === 'true';
      const page = await listKeys(ctx.db, { workspaceId: caller.workspace.id, revoked }, toPagination(query));
      return { status: 200, body: viewList(page, viewKey) };
    },
  }),

  route({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Revoke an API key; it stops working within a second',
    async handle(ctx, { caller, request, params: { id = '' } }) {
      const key = { workspaceId: caller.workspace.id, id };
      const revoked = isId(id) && (await revokeKey(ctx, actorOf({ caller, request }), key));
      if (!revoked) throw new Refusal('not_found', { what: 'API key' });
      return { status: 200, body: { object: 'api_key', id, revoked: true } };
    },
  }),
];
