import { limits } from '@posthorn/domain/limits';
import type { ListPage, Pagination } from '@posthorn/platform/postgres';

const FIRST: Pagination = { limit: limits.pageSize.max, after: null, before: null };

/** Yields the rows of a list, page by page, from the newest on. */
export async function* everyRow<Row>(
  read: (pagination: Pagination) => Promise<ListPage<Row>>,
  first: Pagination = FIRST,
): AsyncGenerator<Row> {
  let { after } = first;
  do {
    const { rows, nextCursor } = await read({ ...first, after });
    yield* rows;
    after = nextCursor;
  } while (after !== null);
}
