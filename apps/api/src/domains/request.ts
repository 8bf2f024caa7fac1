import type { CreateDomainRequest, UpdateDomainRequest } from '@posthorn/contract';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';

/** The domain package validates the name. */
export const createDomainBody = Joi.object<CreateDomainRequest>({ name: Joi.string().required() });

export const updateDomainBody = Joi.object<UpdateDomainRequest>({
  track_opens: Joi.boolean().strict(),
  track_clicks: Joi.boolean().strict(),
})
  .min(1)
  .messages({ 'object.min': 'must have at least one of track_opens and track_clicks' });

export const listQuery = listQueryOf<PaginationQuery>();
