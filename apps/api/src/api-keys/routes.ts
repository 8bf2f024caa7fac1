import { type ApiKey as ApiKeyJson, type CreateApiKeyRequest, modes, scopes } from '@posthorn/contract';
import { type ApiKey, createKey, listKeys, revokeKey } from '@posthorn/domain/api-keys';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { parseNetwork } from '@posthorn/platform/network';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { assertSession, toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { buildIdList, buildName, buildParsed, futureTimestamp } from '../validation/field-schemas.js';

type KeysQuery = PaginationQuery & { revoked?: 'true' | 'false' };

const network = buildParsed(parseNetwork, 'must be an IP address or a network in CIDR notation, such as 192.0.2.0/24');

export const createKeyBody = Joi.object<CreateApiKeyRequest>({
  name: buildName(limits.keyName.max).required(),
  scopes: Joi.array()
    .items(Joi.valid(...scopes))
    .min(1)
    .max(scopes.length)
    .unique()
    .required(),
  mode: Joi.valid(...modes),
  domain_ids: buildIdList(limits.domains.max).allow(null),
  networks: Joi.array().items(network).min(1).max(limits.keyNetworks.max).unique().allow(null),
  expires_at: futureTimestamp.allow(null),
});

const path = '/api/v1/api-keys';

export const apiKeyRoutes = [
  defineRoute<CreateApiKeyRequest>({
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
        sessionId: assertSession(caller).id,
      };
      const { key, text } = await createKey(ctx, toActor({ caller, request }), caller.workspace.id, fields);
      return { status: 201, body: { ...viewKey(key), key: text } };
    },
  }),

  defineRoute<undefined, KeysQuery>({
    operationId: 'listApiKeys',
    method: 'get',
    path,
    access: 'session',
    summary: 'List API keys, newest first; revoked=true lists only revoked keys, revoked=false all other keys',
    query: buildListQuery<KeysQuery>({ revoked: Joi.valid('true', 'false') }),
    async handle(ctx, { caller, query }) {
      const revoked = query.revoked === undefined ? null : query.revoked === 'true';
      const page = await listKeys(ctx.db, { workspaceId: caller.workspace.id, revoked }, toPagination(query));
      return { status: 200, body: viewList(page, viewKey) };
    },
  }),

  defineRoute({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${path}/:id`,
    access: 'owner',
    summary: 'Revoke an API key; it stops working within a second',
    async handle(ctx, { caller, request, params: { id = '' } }) {
      const key = { workspaceId: caller.workspace.id, id };
      const revoked = isId(id) && (await revokeKey(ctx, toActor({ caller, request }), key));
      if (!revoked) throw new Refusal('not_found', { what: 'API key' });
      return { status: 200, body: { object: 'api_key', id, revoked: true } };
    },
  }),
];

export function viewKey(key: ApiKey): ApiKeyJson {
  return {
    object: 'api_key',
    id: key.id,
    name: key.name,
    mode: key.mode,
    hint: key.hint,
    scopes: key.scopes,
    domain_ids: key.domainIds,
    networks: key.networks,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
