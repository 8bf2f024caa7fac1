import { type CreateSuppressionRequest, type SuppressionReason, suppressionReasons } from '@posthorn/contract';
import { parseBareAddress } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import type { SuppressionFilters } from '@posthorn/domain/suppressions';
import Joi from 'joi';
import { addressSchema, bareAddress } from '../fields/address.js';
import { displayedName } from '../fields/text.js';
import { topicSchema } from '../fields/topic.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';
import { withAliases } from '../validation/with-aliases.js';

export const createSuppressionBody = Joi.object<CreateSuppressionRequest>({
  address: withAliases(addressSchema(parseBareAddress), 'email', 'email_address', 'recipient').required(),
  reason: Joi.valid('manual').messages({
    'any.only': 'must be manual. To add suppressions with another reason, import them as CSV',
  }),
  topic: topicSchema.allow(null),
});

export type SuppressionsQuery = PaginationQuery & {
  reason?: SuppressionReason;
  topic?: string;
  address?: string;
  format?: 'csv';
};

export const suppressionsQuery = listQueryOf<SuppressionsQuery>({
  reason: Joi.valid(...suppressionReasons),
  topic: topicSchema,
  address: withAliases(bareAddress, 'email', 'recipient'),
  format: Joi.valid('csv').messages({ 'any.only': 'must be csv; without it, the response is JSON' }),
});

export function toFilters({ reason, topic: only, address }: SuppressionsQuery): SuppressionFilters {
  return { reason, topic: only, address };
}

export type DeleteSuppressionQuery = { because?: string };

export const deleteSuppressionQuery = Joi.object<DeleteSuppressionQuery>({
  because: displayedName(limits.removalReason.max),
});
