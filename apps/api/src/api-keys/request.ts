import type { CreateApiKeyRequest } from '@posthorn/contract';
import { limits, modes, scopes } from '@posthorn/domain';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';
import { displayedName } from '../text.js';
import { futureTimestamp } from '../timestamps.js';

export type KeysQuery = PaginationQuery & { revoked?: 'true' | 'false' };

export const keysQuery = listQueryOf<KeysQuery>({ revoked: Joi.valid('true', 'false') });

export const createKeyBody = Joi.object<CreateApiKeyRequest>({
  name: displayedName(limits.keyName.max).required(),
  scopes: Joi.array()
    .items(Joi.valid(...scopes))
    .min(1)
    .max(scopes.length)
    .unique()
    .required(),
  mode: Joi.valid(...modes),
  expires_at: futureTimestamp.allow(null),
});
