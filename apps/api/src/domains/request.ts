import type { CreateDomainRequest } from '@posthorn/contract';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';

/** The domain package validates the name. */
export const createDomainBody = Joi.object<CreateDomainRequest>({ name: Joi.string().required() });

export const listQuery = listQueryOf<PaginationQuery>();
