import type { CreateApiKeyRequest } from '@posthorn/contract';
import { limits, scopes } from '@posthorn/domain';
import Joi from 'joi';
import { displayedName } from '../text.js';
import { futureTimestamp } from '../timestamps.js';

export const createKeyBody = Joi.object<CreateApiKeyRequest>({
  name: displayedName(limits.keyName.max).required(),
  scopes: Joi.array()
    .items(Joi.valid(...scopes))
    .min(1)
    .max(scopes.length)
    .unique()
    .required(),
  expires_at: futureTimestamp.allow(null),
});
