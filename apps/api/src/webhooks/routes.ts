import {
  type CreateWebhookRequest,
  eventTypes,
  type Mode,
  modes,
  type RotateWebhookSecretRequest,
  type UpdateWebhookRequest,
  type Webhook as WebhookJson,
  webhookStatuses,
} from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { DEFAULT_WEBHOOK_OVERLAP_SECONDS, limits } from '@posthorn/domain/limits';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  readWebhookHealth,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
  type WebhookHealth,
  type WebhookSettings,
} from '@posthorn/domain/webhooks';
import { getMode, toTestWorkspace, type Workspace } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import { checkWebhookUrl, createWebhookSecret, normalizeWebhookUrl } from '@posthorn/webhooks';
import Joi from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { keysThat } from '../routing/access.js';
import { findWorkspaceOfMode, toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { withAliases } from '../validation/field-rules.js';
import { buildIdList, buildName } from '../validation/field-schemas.js';

/** Events of these types are sent only on request, to one webhook. */
const SENT_ON_REQUEST = ['webhook.test'];

const selectableTypes = eventTypes.filter((type) => !SENT_ON_REQUEST.includes(type));

const selectableType = Joi.valid(...selectableTypes).messages({
  'any.only':
    'must be one of: {{#valids}}. webhook.test cannot be chosen, because it is sent on request to any webhook',
});

const MAX_TAG_CHARACTERS = 2 * limits.tag.max + 1;

const tag = Joi.string()
  .max(MAX_TAG_CHARACTERS)
  .pattern(/^[^:]+:[^:]+$/, 'a tag written as name:value, such as campaign:welcome');

const fields = {
  url: withAliases(Joi.string().max(limits.webhookUrl.max), 'endpoint', 'target', 'target_url'),
  events: withAliases(
    Joi.array().items(selectableType).min(1).max(selectableTypes.length).unique(),
    'event_types',
    'types',
  ),
  description: buildName(limits.webhookDescription.max).allow(''),
  domain_ids: buildIdList(limits.domains.max).allow(null),
  tags: Joi.array().items(tag).min(1).max(limits.tags.max).unique().allow(null),
};

type WebhooksQuery = PaginationQuery & { mode?: Mode };

export const webhooksPath = '/api/v1/webhooks';

const access = keysThat.manageWebhooks;

export const webhookRoutes = [
  defineRoute<CreateWebhookRequest>({
    operationId: 'createWebhook',
    method: 'post',
    path: webhooksPath,
    access,
    summary: 'Create a webhook; the response has the secret that its requests are signed with',
    success: 201,
    problems: ['conflict'],
    body: Joi.object<CreateWebhookRequest>({ ...fields, mode: Joi.valid(...modes) }).fork(['url', 'events'], (field) =>
      field.required(),
    ),
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, body } = request;
      const workspace = findWorkspaceOfMode(caller, body.mode);
      if (workspace === null) throw new Refusal('conflict', { reason: NO_TEST_MAIL });
      const url = await getUsableUrl(ctx, body.url);
      const secret = createWebhookSecret();
      const settings: WebhookSettings = {
        url,
        events: body.events,
        description: body.description ?? '',
        domainIds: body.domain_ids ?? null,
        tags: body.tags ?? null,
        status: 'enabled',
      };
      const webhook = await createWebhook(ctx, toActor(request), workspace, { settings, secret });
      return { status: 201, body: { ...viewWebhook(webhook, getMode(workspace)), secret } };
    },
  }),

  defineRoute<undefined, WebhooksQuery>({
    operationId: 'listWebhooks',
    method: 'get',
    path: webhooksPath,
    access,
    summary: 'List webhooks, newest first',
    query: buildListQuery<WebhooksQuery>({ mode: Joi.valid(...modes) }),
    async handle(ctx, { caller, query }) {
      const workspace = findWorkspaceOfMode(caller, query.mode);
      const page =
        workspace === null
          ? { rows: [], nextCursor: null }
          : await listWebhooks(ctx.db, workspace.id, toPagination(query));
      const health = await readWebhookHealth(
        ctx.db,
        page.rows.map(({ id }) => id),
      );
      const mode = getMode(workspace ?? caller.workspace);
      return { status: 200, body: viewList(page, (webhook) => viewWebhook(webhook, mode, health.get(webhook.id))) };
    },
  }),

  defineRoute({
    operationId: 'getWebhook',
    method: 'get',
    path: `${webhooksPath}/:id`,
    access,
    summary: 'Retrieve a webhook',
    async handle(ctx, { caller, params }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      return { status: 200, body: await viewNow(ctx, webhook, workspace) };
    },
  }),

  defineRoute<UpdateWebhookRequest>({
    operationId: 'updateWebhook',
    method: 'patch',
    path: `${webhooksPath}/:id`,
    access,
    summary: 'Change, disable or enable a webhook',
    body: Joi.object<UpdateWebhookRequest>({
      ...fields,
      status: Joi.valid(...webhookStatuses),
    })
      .min(1)
      .messages({ 'object.min': 'must have at least one of url, events, description, domain_ids, tags and status' }),
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, params, body } = request;
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const url = body.url === undefined ? {} : { url: await getUsableUrl(ctx, body.url) };
      const changes = { ...toChanges(body), ...url };
      const changed = await updateWebhook(ctx, toActor(request), workspace, { id: webhook.id, changes });
      if (!changed) throw new Refusal('not_found', { what: 'webhook' });
      return { status: 200, body: await viewNow(ctx, changed, workspace) };
    },
  }),

  defineRoute({
    operationId: 'deleteWebhook',
    method: 'delete',
    path: `${webhooksPath}/:id`,
    access,
    summary: 'Delete a webhook and its deliveries',
    async handle(ctx, request) {
      const { webhook, workspace } = await requireWebhook(ctx, request.caller, request.params.id);
      if (!(await deleteWebhook(ctx, toActor(request), workspace, webhook.id)))
        throw new Refusal('not_found', { what: 'webhook' });
      return { status: 200, body: { object: 'webhook', id: webhook.id, deleted: true } };
    },
  }),

  defineRoute<RotateWebhookSecretRequest>({
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: `${webhooksPath}/:id/rotate-secret`,
    access,
    summary: 'Replace the secret; for a while, requests are signed with the old one too',
    problems: ['conflict'],
    body: Joi.object<RotateWebhookSecretRequest>({
      overlap_seconds: Joi.number().strict().integer().min(0).max(limits.webhookOverlapSeconds.max),
    }),
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, params, body } = request;
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const secret = createWebhookSecret();
      const overlapSeconds = body.overlap_seconds ?? DEFAULT_WEBHOOK_OVERLAP_SECONDS;
      const rotation = { id: webhook.id, secret, overlapSeconds };
      const rotated = await rotateWebhookSecret(ctx, toActor(request), workspace, rotation);
      if (!rotated) throw new Refusal('not_found', { what: 'webhook' });
      return { status: 200, body: { ...(await viewNow(ctx, rotated, workspace)), secret } };
    },
  }),
];

const NO_TEST_MAIL = 'This workspace has no test mail yet. Create an API key with "mode": "test" first.';

async function viewNow({ db }: ApiContext, webhook: Webhook, workspace: Workspace) {
  const health = await readWebhookHealth(db, [webhook.id]);
  return viewWebhook(webhook, getMode(workspace), health.get(webhook.id));
}

/** @returns the URL as it is stored */
async function getUsableUrl({ ssrfGuard }: Pick<ApiContext, 'ssrfGuard'>, url: string): Promise<string> {
  const reason = await checkWebhookUrl(ssrfGuard, url);
  if (reason !== null) throw invalid({ field: 'url', message: reason });
  return normalizeWebhookUrl(url);
}

function toChanges({ domain_ids: domainIds, ...rest }: UpdateWebhookRequest): Partial<WebhookSettings> {
  return { ...rest, ...(domainIds !== undefined && { domainIds }) };
}

/** @param health undefined for a new webhook */
export function viewWebhook(webhook: Webhook, mode: Mode, health?: WebhookHealth): WebhookJson {
  return {
    object: 'webhook',
    id: webhook.id,
    mode,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.events],
    domain_ids: webhook.domainIds && [...webhook.domainIds],
    tags: webhook.tags && [...webhook.tags],
    status: webhook.status,
    disabled_because: webhook.disabledBecause,
    failing_since: health?.failingSince?.toISOString() ?? null,
    paused_until: health?.pausedUntil?.toISOString() ?? null,
    old_secrets_expire_at: health?.oldSecretsExpireAt?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** A webhook, and the live or test workspace whose events it gets. */
type FoundWebhook = { readonly webhook: Webhook; readonly workspace: Workspace };

/**
 * A key finds only webhooks of its own mode; a session finds both.
 * @throws Refusal not_found
 */
export async function requireWebhook(
  { db }: Pick<ApiContext, 'db'>,
  { kind, workspace }: Caller,
  id: string | undefined,
): Promise<FoundWebhook> {
  if (id === undefined || !isId(id)) throw new Refusal('not_found', { what: 'webhook' });
  const test = kind === 'session' ? toTestWorkspace(workspace) : null;
  for (const candidate of test === null ? [workspace] : [workspace, test]) {
    const webhook = await findWebhook(db, candidate.id, id);
    if (webhook) return { webhook, workspace: candidate };
  }
  throw new Refusal('not_found', { what: 'webhook' });
}
