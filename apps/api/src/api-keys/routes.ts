import type { CreateApiKeyRequest } from '@posthorn/contract';
import { createKey, isId, listKeys, Refusal, revokeKey } from '@posthorn/domain';
import { sessionOf } from '../accounts/session-of.js';
import { route } from '../route.js';
import { createKeyBody } from './request.js';
import { viewKey } from './view.js';

const path = '/api/v1/api-keys';

export const apiKeyRoutes = [
  route<CreateApiKeyRequest>({
    method: 'post',
    path,
    access: 'owner',
    summary: 'Create an API key; it is shown only in this response',
    body: createKeyBody,
    async handle(ctx, { caller, body }) {
      const fields = {
        name: body.name,
        scopes: body.scopes,
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
      };
      const { key, text } = await createKey(ctx, caller.workspace.id, fields, sessionOf(caller).id);
      return { status: 201, body: { ...viewKey(key), key: text } };
    },
  }),

  route({
    method: 'get',
    path,
    access: 'session',
    summary: 'List API keys, including revoked ones',
    async handle(ctx, { caller }) {
      const keys = await listKeys(ctx.db, caller.workspace.id);
      return { status: 200, body: { object: 'list', data: keys.map(viewKey), has_more: false, next_cursor: null } };
    },
  }),

  route({
    method: 'delete',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Revoke an API key; it stops working within a second',
    async handle(ctx, { caller, params: { id = '' } }) {
      const revoked = isId(id) && (await revokeKey(ctx.db, caller.workspace.id, id, ctx.now()));
      if (!revoked) throw new Refusal('not_found', { what: 'API key' });
      return { status: 200, body: { object: 'api_key', id, revoked: true } };
    },
  }),
];
