import type { ReplayWebhookRequest } from '@posthorn/contract';
import { invalid } from '@posthorn/domain/errors';
import { listDeliveries, readWebhookHealth, replayEvents, sendTestEvent } from '@posthorn/domain/webhooks';
import { getMode } from '@posthorn/domain/workspaces';
import { keysThat } from '../access.js';
import { toPagination, viewList } from '../lists.js';
import { route } from '../route.js';
import { type DeliveriesQuery, deliveriesQuery, replayBody, toReplay } from './request.js';
import { requireWebhook, webhookNotFound } from './require-webhook.js';
import { webhooksPath } from './routes.js';
import { viewDelivery } from './view.js';

const access = keysThat.manageWebhooks;

export const webhookDeliveryRoutes = [
  route({
    operationId: 'testWebhook',
    method: 'post',
    path: `${webhooksPath}/:id/test`,
    access,
    summary: 'Send a test event to a webhook',
    success: 202,
    problems: ['conflict'],
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const eventId = await sendTestEvent(ctx, workspace.id, webhook.id);
      if (eventId === null) throw webhookNotFound();
      return { status: 202, body: { object: 'webhook_test', event_id: eventId } };
    },
  }),

  route<undefined, DeliveriesQuery>({
    operationId: 'listWebhookDeliveries',
    method: 'get',
    path: `${webhooksPath}/:id/deliveries`,
    access,
    summary: 'List what was sent to a webhook and how it answered, newest event first',
    hasLargePages: true,
    query: deliveriesQuery,
    async handle(ctx, { caller, params, query }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const { status = null } = query;
      const of = { webhookId: webhook.id, mode: getMode(workspace), status };
      const page = await listDeliveries(ctx.db, of, toPagination(query));
      const health = await readWebhookHealth(ctx.db, [webhook.id]);
      return { status: 200, body: viewList(page, (each) => viewDelivery(each, webhook, health.get(webhook.id))) };
    },
  }),

  route<ReplayWebhookRequest>({
    operationId: 'replayWebhook',
    method: 'post',
    path: `${webhooksPath}/:id/replay`,
    access,
    summary: 'Send events to a webhook again',
    success: 202,
    problems: ['conflict'],
    body: replayBody,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params, body }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const replay = toReplay(body);
      if ('from' in replay && replay.from >= replay.to) throw invalid({ field: 'to', message: 'must be after from' });
      const events = await replayEvents(ctx, workspace.id, { webhookId: webhook.id, replay });
      if (events === null) throw webhookNotFound();
      return { status: 202, body: { object: 'webhook_replay', events } };
    },
  }),
];
