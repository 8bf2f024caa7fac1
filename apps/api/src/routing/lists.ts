import type { List } from '@posthorn/contract';
import { DEFAULT_PAGE_SIZE, limits } from '@posthorn/domain/limits';
import type { ListPage, Pagination } from '@posthorn/platform/postgres';
import Joi from 'joi';
import { withAliases } from '../validation/field-rules.js';
import { buildId } from '../validation/field-schemas.js';

export type PaginationQuery = { limit?: string; after?: string; before?: string };

const cursor = buildId('must be an id from this list');

/** At most nine digits, because ten could overflow a Postgres integer. */
export const NUMBER_CURSOR = /^[1-9]\d{0,8}$/;

/** Cursors of a list whose entries have numbers instead of ids. @param what completes "must be" in a refusal */
export function buildNumberCursors(what: string): { after: Joi.StringSchema; before: Joi.StringSchema } {
  const number = Joi.string().pattern(NUMBER_CURSOR, what);
  return { after: number, before: number };
}

/** The query string of a list. `filters` adds parameters, or replaces the cursors if they are not ids. */
export function buildListQuery<Query extends PaginationQuery>(
  filters: Joi.PartialSchemaMap<Query> = {},
): Joi.ObjectSchema<Query> {
  const pagination = {
    limit: withAliases(
      Joi.string().pattern(/^([1-9]\d?|100)$/, `a whole number from 1 to ${limits.pageSize.max}`),
      ...['per_page', 'page_size', 'count', 'size', 'max_results'],
    ),
    after: withAliases(cursor, 'page', 'offset', 'cursor', 'starting_after', 'page_token', 'next_cursor', 'skip'),
    before: withAliases(cursor, 'ending_before', 'prev_cursor'),
  };
  return Joi.object({ ...pagination, ...filters })
    .oxor('after', 'before')
    .messages({ 'object.oxor': 'cannot be combined with before; send one of them' }) as Joi.ObjectSchema<Query>;
}

export function toPagination(query: PaginationQuery): Pagination {
  return { limit: Number(query.limit ?? DEFAULT_PAGE_SIZE), after: query.after ?? null, before: query.before ?? null };
}

export function viewList<Row, Item>({ rows, nextCursor }: ListPage<Row>, view: (row: Row) => Item): List<Item> {
  return { object: 'list', data: rows.map(view), has_more: nextCursor !== null, next_cursor: nextCursor };
}
