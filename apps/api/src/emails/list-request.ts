import { type EmailFilters, type EmailStatus, emailStatuses, parseMessageId } from '@posthorn/domain/emails';
import { limits, MIN_SEARCH_CHARACTERS } from '@posthorn/domain/limits';
import { type Mode, modes } from '@posthorn/domain/workspaces';
import { DAY_MS, isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { buildListQuery, type PaginationQuery } from '../routing/lists.js';
import { withAliases } from '../validation/field-rules.js';
import { bareAddress, queryTimestamp } from '../validation/fields.js';

export type ListQuery = PaginationQuery & {
  q?: string;
  mode?: Mode;
  message_id?: NonNullable<ReturnType<typeof parseMessageId>>;
  idempotency_key?: string;
  status?: EmailStatus;
  to?: string;
  from_?: string;
  tag?: string;
  template_id?: string;
  created_after?: string;
  created_before?: string;
  format?: 'csv';
};

const MESSAGE_ID_EXPECTED =
  'must be a Message-ID of this service, such as <0192f0c1-0000-7000-8000-000000000000@example.com>, or an email id';

/** GET /api/v1/emails */
export const listQuery = buildListQuery<ListQuery>({
  q: withAliases(
    Joi.string()
      .min(MIN_SEARCH_CHARACTERS)
      .max(limits.searchText.max)
      .pattern(/^\P{Cc}*$/u, 'text without line breaks or control characters'),
    ...['query', 'search', 'subject', 'text'],
  ),
  message_id: Joi.string()
    .max(limits.messageId.max)
    .custom((text: string, helpers) => parseMessageId(text) ?? helpers.message({ custom: MESSAGE_ID_EXPECTED })),
  idempotency_key: Joi.string()
    .max(limits.idempotencyKey.max)
    .pattern(/^[\x20-\x7e]+$/, 'an Idempotency-Key, which has only printable ASCII characters'),
  mode: Joi.valid(...modes),
  status: Joi.valid(...emailStatuses),
  to: bareAddress,
  from_: bareAddress,
  tag: Joi.string().pattern(/^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/, 'a tag of the form name:value'),
  template_id: Joi.string().custom((text: string, helpers) =>
    isId(text) ? text : helpers.message({ custom: 'must be a template id' }),
  ),
  created_after: queryTimestamp,
  created_before: queryTimestamp,
  format: Joi.valid('csv').messages({ 'any.only': 'must be csv; without it, the response is JSON' }),
});

/**
 * Without `created_after`, a text search goes back 30 days, unless the query says which emails to look at.
 * @param now the time of the request
 */
export function toFilters(query: ListQuery, now: Date): EmailFilters {
  return {
    ...periodOf(query, now),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.to !== undefined && { to: query.to }),
    ...(query.from_ !== undefined && { from: query.from_ }),
    ...(query.tag !== undefined && { tag: query.tag }),
    ...(query.template_id !== undefined && { templateId: query.template_id }),
    ...(query.message_id && { ids: [query.message_id.id] }),
    ...(query.message_id?.host && { senderHost: query.message_id.host }),
  };
}

function periodOf(query: ListQuery, now: Date): EmailFilters {
  const { q, message_id, idempotency_key, created_after, created_before } = query;
  const createdBefore = created_before === undefined ? undefined : new Date(created_before);
  const readsThroughList = q !== undefined && message_id === undefined && idempotency_key === undefined;
  const searchedSince = readsThroughList && new Date((createdBefore ?? now).getTime() - limits.searchDays.max * DAY_MS);
  const createdAfter = created_after === undefined ? searchedSince : new Date(created_after);
  return { ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) };
}
