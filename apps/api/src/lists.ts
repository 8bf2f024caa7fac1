import type { List } from '@posthorn/contract';
import { DEFAULT_PAGE, isId, limits, type Page, type Paging } from '@posthorn/domain';
import Joi from 'joi';

/** `limit`, `after` and `before` as they come in the query string. */
export type PageQuery = { limit?: string; after?: string; before?: string };

const cursor = Joi.string().custom((text: string, helpers) =>
  isId(text) ? text : helpers.message({ custom: 'must be an id from this list' }),
);

/** The query string of a list: the paging parameters, and `filters` of its own, or cursors that are no ids. */
export function listQueryOf<Query extends PageQuery>(
  filters: Joi.PartialSchemaMap<Query> = {},
): Joi.ObjectSchema<Query> {
  const paging = {
    limit: Joi.string()
      .pattern(/^([1-9]\d?|100)$/)
      .messages({ 'string.pattern.base': `must be a whole number from 1 to ${limits.page.max}` }),
    after: cursor,
    before: cursor,
  };
  return Joi.object({ ...paging, ...filters })
    .oxor('after', 'before')
    .messages({ 'object.oxor': 'cannot be given together with before' }) as Joi.ObjectSchema<Query>;
}

export function toPaging(query: PageQuery): Paging {
  return { limit: Number(query.limit ?? DEFAULT_PAGE), after: query.after ?? null, before: query.before ?? null };
}

export function viewList<Row, Item>({ rows, nextCursor }: Page<Row>, view: (row: Row) => Item): List<Item> {
  return { object: 'list', data: rows.map(view), has_more: nextCursor !== null, next_cursor: nextCursor };
}
