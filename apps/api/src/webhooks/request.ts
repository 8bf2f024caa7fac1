import {
  type CreateWebhookRequest,
  eventTypes,
  type Mode,
  modes,
  type ReplayWebhookRequest,
  type RotateWebhookSecretRequest,
  type UpdateWebhookRequest,
  type WebhookDeliveryStatus,
  webhookDeliveryStatuses,
  webhookStatuses,
} from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { Replay } from '@posthorn/domain/webhooks';
import Joi from 'joi';
import { idList, idSchema } from '../fields/id-list.js';
import { displayedName } from '../fields/text.js';
import { timestamp } from '../fields/timestamps.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';
import { withAliases } from '../validation/with-aliases.js';

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
  description: displayedName(limits.webhookDescription.max).allow(''),
  domain_ids: idList(limits.domains.max).allow(null),
  tags: Joi.array().items(tag).min(1).max(limits.tags.max).unique().allow(null),
};

export const createWebhookBody = Joi.object<CreateWebhookRequest>({ ...fields, mode: Joi.valid(...modes) }).fork(
  ['url', 'events'],
  (field) => field.required(),
);

export const updateWebhookBody = Joi.object<UpdateWebhookRequest>({
  ...fields,
  status: Joi.valid(...webhookStatuses),
})
  .min(1)
  .messages({ 'object.min': 'must have at least one of url, events, description, domain_ids, tags and status' });

export const rotateSecretBody = Joi.object<RotateWebhookSecretRequest>({
  overlap_seconds: Joi.number().strict().integer().min(0).max(limits.webhookOverlapSeconds.max),
});

export const replayBody = Joi.object<ReplayWebhookRequest>({
  event_id: idSchema,
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
  });

export function toReplay({ event_id: eventId, from, to }: ReplayWebhookRequest): Replay {
  if (eventId !== undefined) return { eventId };
  return from !== undefined && to !== undefined ? { from: new Date(from), to: new Date(to) } : { failed: true };
}

export type WebhooksQuery = PaginationQuery & { mode?: Mode };

export const webhooksQuery = listQueryOf<WebhooksQuery>({ mode: Joi.valid(...modes) });

export type DeliveriesQuery = PaginationQuery & { status?: WebhookDeliveryStatus };

export const deliveriesQuery = listQueryOf<DeliveriesQuery>({ status: Joi.valid(...webhookDeliveryStatuses) });
