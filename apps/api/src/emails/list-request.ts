import { type EmailFilters, type EmailStatus, emailStatuses, isId } from '@posthorn/domain';
import Joi from 'joi';
import { bareAddress } from '../address.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';
import { timestamp } from '../timestamps.js';

export type ListQuery = PaginationQuery & {
  status?: EmailStatus;
  to?: string;
  from_?: string;
  tag?: string;
  template_id?: string;
  created_after?: string;
  created_before?: string;
};

/** GET /api/v1/emails */
export const listQuery = listQueryOf<ListQuery>({
  status: Joi.valid(...emailStatuses),
  to: bareAddress,
  from_: bareAddress,
  tag: Joi.string().pattern(/^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/, 'a tag of the form name:value'),
  template_id: Joi.string().custom((text: string, helpers) =>
    isId(text) ? text : helpers.message({ custom: 'must be a template id' }),
  ),
  created_after: timestamp,
  created_before: timestamp,
});

export function toFilters(query: ListQuery): EmailFilters {
  return {
    ...(query.status !== undefined && { status: query.status }),
    ...(query.to !== undefined && { to: query.to }),
    ...(query.from_ !== undefined && { from: query.from_ }),
    ...(query.tag !== undefined && { tag: query.tag }),
    ...(query.template_id !== undefined && { templateId: query.template_id }),
    ...(query.created_after !== undefined && { createdAfter: new Date(query.created_after) }),
    ...(query.created_before !== undefined && { createdBefore: new Date(query.created_before) }),
  };
}
