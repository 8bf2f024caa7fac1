import { type CreateApiKeyRequest, modes, scopes } from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import { parseNetwork } from '@posthorn/platform/network';
import Joi from 'joi';
import { idList } from '../fields/id-list.js';
import { displayedName } from '../fields/text.js';
import { futureTimestamp } from '../fields/timestamps.js';
import { listQueryOf, type PaginationQuery } from '../lists.js';

export type KeysQuery = PaginationQuery & { revoked?: 'true' | 'false' };

export const keysQuery = listQueryOf<KeysQuery>({ revoked: Joi.valid('true', 'false') });

const network = Joi.string().custom(
  (text: string, helpers) =>
    parseNetwork(text) ??
    helpers.message({ custom: 'must be an IP address or a network in CIDR notation, such as 192.0.2.0/24' }),
);

export const createKeyBody = Joi.object<CreateApiKeyRequest>({
  name: displayedName(limits.keyName.max).required(),
  scopes: Joi.array()
    .items(Joi.valid(...scopes))
    .min(1)
    .max(scopes.length)
    .unique()
    .required(),
  mode: Joi.valid(...modes),
  domain_ids: idList(limits.domains.max).allow(null),
  networks: Joi.array().items(network).min(1).max(limits.keyNetworks.max).unique().allow(null),
  expires_at: futureTimestamp.allow(null),
});
