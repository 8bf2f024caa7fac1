import {
  type WebhookDelivery as DeliveryJson,
  type ReplayWebhookRequest,
  type WebhookDeliveryStatus,
  webhookDeliveryStatuses,
} from '@posthorn/contract';
import { invalid, Refusal } from '@posthorn/domain/errors';
import {
  buildWebhookBody,
  listDeliveries,
  type Replay,
  readWebhookHealth,
  replayEvents,
  sendTestEvent,
  type Webhook,
  type WebhookDelivery,
  type WebhookHealth,
} from '@posthorn/domain/webhooks';
import { getMode } from '@posthorn/domain/workspaces';
import Joi from 'joi';
import { viewEvent } from '../events/routes.js';
import { keysThat } from '../routing/access.js';
import { hideInDelivery } from '../routing/hide-content.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { buildId, timestamp } from '../validation/field-schemas.js';
import { requireWebhook, webhooksPath } from './routes.js';

function toReplay({ event_id: eventId, from, to }: ReplayWebhookRequest): Replay {
  if (eventId !== undefined) return { eventId };
  return from !== undefined && to !== undefined ? { from: new Date(from), to: new Date(to) } : { failed: true };
}

type DeliveriesQuery = PaginationQuery & { status?: WebhookDeliveryStatus };

const access = keysThat.manageWebhooks;

export const webhookDeliveryRoutes = [
  defineRoute({
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
      if (eventId === null) throw new Refusal('not_found', { what: 'webhook' });
      return { status: 202, body: { object: 'webhook_test', event_id: eventId } };
    },
  }),

  defineRoute<undefined, DeliveriesQuery>({
    operationId: 'listWebhookDeliveries',
    method: 'get',
    path: `${webhooksPath}/:id/deliveries`,
    access,
    summary: 'List what was sent to a webhook and how it answered, newest event first',
    hasLargePages: true,
    query: buildListQuery<DeliveriesQuery>({ status: Joi.valid(...webhookDeliveryStatuses) }),
    async handle(ctx, { caller, params, query }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const { status = null } = query;
      const of = { webhookId: webhook.id, mode: getMode(workspace), status };
      const page = await listDeliveries(ctx.db, of, toPagination(query));
      const health = await readWebhookHealth(ctx.db, [webhook.id]);
      const view = (each: WebhookDelivery) =>
        hideInDelivery(caller, viewDelivery(each, webhook, health.get(webhook.id)));
      return { status: 200, body: viewList(page, view) };
    },
  }),

  defineRoute<ReplayWebhookRequest>({
    operationId: 'replayWebhook',
    method: 'post',
    path: `${webhooksPath}/:id/replay`,
    access,
    summary: 'Send events to a webhook again',
    success: 202,
    problems: ['conflict'],
    body: Joi.object<ReplayWebhookRequest>({
      event_id: buildId(),
      from: timestamp,
      to: timestamp,
      failed: Joi.valid(true),
    })
      .or('event_id', 'from', 'to', 'failed')
      .oxor('event_id', 'from', 'failed')
      .and('from', 'to')
      .messages({
        'object.missing': 'must have event_id, from and to, or failed',
        'object.oxor': 'cannot be combined: send only one of event_id, failed, or from with to',
        'object.and': 'must be sent together: give both from and to',
      }),
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params, body }) {
      const { webhook, workspace } = await requireWebhook(ctx, caller, params.id);
      const replay = toReplay(body);
      if ('from' in replay && replay.from >= replay.to) throw invalid({ field: 'to', message: 'must be after from' });
      const events = await replayEvents(ctx, workspace.id, { webhookId: webhook.id, replay });
      if (events === null) throw new Refusal('not_found', { what: 'webhook' });
      return { status: 202, body: { object: 'webhook_replay', events } };
    },
  }),
];

function viewDelivery(
  { id, status, dueAt, attempts, event }: WebhookDelivery,
  webhook: Webhook,
  health?: WebhookHealth,
): DeliveryJson {
  const nextAttemptAt = webhook.status === 'disabled' ? null : addPause(dueAt, health?.pausedUntil);
  return {
    object: 'webhook_delivery',
    id,
    status,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    attempts: attempts.map(({ at, ms, status: code, body, truncated, error }) => ({
      at,
      ms,
      status: code,
      response: body,
      response_truncated: truncated,
      error,
    })),
    body: event && buildWebhookBody(event),
    event: event && viewEvent(event),
  };
}

/** When a delivery is sent that is due, or the end of the pause if that is later. */
function addPause(dueAt: Date | null, pausedUntil: Date | null | undefined): Date | null {
  return dueAt && pausedUntil && pausedUntil > dueAt ? pausedUntil : dueAt;
}
