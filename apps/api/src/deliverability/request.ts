import { type BounceClass, bounceClasses } from '@posthorn/contract';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';

export type BouncesQuery = PaginationQuery & { class?: BounceClass };

/** GET /api/v1/bounces */
export const bouncesQuery = listQueryOf<BouncesQuery>({ class: Joi.valid(...bounceClasses) });
