import type { CreateWebhookRequest, RotateWebhookSecretRequest, UpdateWebhookRequest } from '@posthorn/contract';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { DEFAULT_WEBHOOK_OVERLAP_SECONDS } from '@posthorn/domain/limits';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhookHealth,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
  type WebhookSettings,
} from '@posthorn/domain/webhooks';
import { getMode, type Workspace } from '@posthorn/domain/workspaces';
import { checkWebhookUrl, newWebhookSecret, normalizeWebhookUrl } from '@posthorn/webhooks';
import { keysThat } from '../access.js';
import { actorOf } from '../audit-log/actor-of.js';
import type { ApiContext } from '../context.js';
import { toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { workspaceOfMode } from '../workspace-of-mode.js';
import {
  createWebhookBody,
  rotateSecretBody,
  updateWebhookBody,
  type WebhooksQuery,
  webhooksQuery,
} from './request.js';
import { requireWebhook, webhookNotFound } from './require-webhook.js';
import { viewWebhook } from './view.js';

export const webhooksPath = '/api/v1/webhooks';
const access = keysThat.manageWebhooks;

export const webhookRoutes = [
  route<CreateWebhookRequest>({
    operationId: 'createWebhook',
    method: 'post',
    path: webhooksPath,
    access,
    summary: 'Create a webhook; the response has the secret that its requests are signed with',
    success: 201,
    problems: ['conflict'],
    body: createWebhookBody,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, body } = request;
      const workspace = workspaceOfMode(caller, body.mode);
      if (workspace === null) throw new Refusal('conflict', { reason: NO_TEST_MAIL });
      const url = await usableUrl(ctx, body.url);
      const secret = newWebhookSecret();
      const settings: WebhookSettings = {
        url,
        events: body.events,
        description: body.description ?? '',
        domainIds: body.domain_ids ?? null,
        tags: body.tags ?? null,
        status: 'enabled',
      };
      const webhook = await createWebhook(ctx, actorOf(request), workspace, { settings, secret });
      return { status: 201, body: { ...viewWebhook(webhook, getMode(workspace)), secret } };
    },
  }),

  route<undefined, WebhooksQuery>({
    operationId: 'listWebhooks',
    method: 'get',
    path: webhooksPath,
    access,
    summary: 'List webhooks, newest first',
    query: webhooksQuery,
    async handle(ctx, { caller, query }) {
      const workspace = workspaceOfMode(caller, query.mode);
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

  route({
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

  route<UpdateWebhookRequest>({
    operationId: 'updateWebhook',
    method: 'patch',
    path: `${webhooksPath}/:id`,
    access,
    summary: 'Change, disable or enable a webhook',
    body: updateWebhookBody,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, params, body } = request;
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const url = body.url === undefined ? {} : { url: await usableUrl(ctx, body.url) };
      const changes = { ...toChanges(body), ...url };
      const changed = await updateWebhook(ctx, actorOf(request), workspace, { id: webhook.id, changes });
      if (!changed) throw webhookNotFound();
      return { status: 200, body: await viewNow(ctx, changed, workspace) };
    },
  }),

  route({
    operationId: 'deleteWebhook',
    method: 'delete',
    path: `${webhooksPath}/:id`,
    access,
    summary: 'Delete a webhook and its deliveries',
    async handle(ctx, request) {
      const { webhook, workspace } = await requireWebhook(ctx, request.caller, request.params.id);
      if (!(await deleteWebhook(ctx, actorOf(request), workspace, webhook.id))) throw webhookNotFound();
      return { status: 200, body: { object: 'webhook', id: webhook.id, deleted: true } };
    },
  }),

  route<RotateWebhookSecretRequest>({
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: `${webhooksPath}/:id/rotate-secret`,
    access,
    summary: 'Replace the secret; for a while, requests are signed with the old one too',
    problems: ['conflict'],
    body: rotateSecretBody,
    rateLimit: 'heavyRequests',
    async handle(ctx, request) {
      const { caller, params, body } = request;
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const secret = newWebhookSecret();
      const overlapSeconds = body.overlap_seconds ?? DEFAULT_WEBHOOK_OVERLAP_SECONDS;
      const rotation = { id: webhook.id, secret, overlapSeconds };
      const rotated = await rotateWebhookSecret(ctx, actorOf(request), workspace, rotation);
      if (!rotated) throw webhookNotFound();
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
async function usableUrl({ ssrfGuard }: ApiContext, url: string): Promise<string> {
  const reason = await checkWebhookUrl(ssrfGuard, url);
  if (reason !== null) throw invalid({ field: 'url', message: reason });
  return normalizeWebhookUrl(url);
}

function toChanges({ domain_ids: domainIds, ...rest }: UpdateWebhookRequest): Partial<WebhookSettings> {
  return { ...rest, ...(domainIds !== undefined && { domainIds }) };
}
