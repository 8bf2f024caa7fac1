import { type AuditAction, auditActions } from '@posthorn/contract';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';

export type AuditLogQuery = PaginationQuery & { action?: AuditAction; actor?: string; target?: string };

const id = Joi.string().custom((text: string, helpers) =>
  isId(text)
    ? text.toLowerCase()
    : helpers.message({ custom: 'must be an id, as in actor.id and target.id of an entry' }),
);

/** GET /api/v1/audit-log */
export const auditLogQuery = listQueryOf<AuditLogQuery>({ action: Joi.valid(...auditActions), actor: id, target: id });
