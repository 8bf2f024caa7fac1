import { findIdsByIdempotencyKey } from '@posthorn/domain/accepting';
import type { Caller } from '@posthorn/domain/accounts';
import { type EmailFilters, type EmailSummary, listEmails, searchEmails } from '@posthorn/domain/emails';
import type { ListPage, Pagination } from '@posthorn/platform/postgres';
import { readExport, readList } from '@posthorn/platform/replica';
import type { ApiContext } from '../context/api-context.js';
import { mayReadContent } from '../routing/access.js';
import { findWorkspaceOfMode } from '../routing/caller.js';
import { type ListQuery, toFilters } from './list-request.js';

/** Reads one page of a list. */
export type ReadPage = (pagination: Pagination) => Promise<ListPage<EmailSummary>>;

const NOTHING: ListPage<EmailSummary> = { rows: [], nextCursor: null };

/**
 * Finds out what to read for this query, so that any number of pages can be read. A key that may not read subjects may
 * not search them either.
 * @throws Refusal validation_failed if a key asks for mail of the other mode
 */
export async function openList(ctx: ApiContext, caller: Caller, query: ListQuery): Promise<ReadPage> {
  const workspace = findWorkspaceOfMode(caller, query.mode);
  if (workspace === null) return async () => NOTHING;
  const { id, liveId } = workspace;
  const filters = await withIdempotencyKey(ctx, id, query);
  const { q, format } = query;
  const read = format === 'csv' ? readExport : readList;
  if (q === undefined) return (pagination) => read(ctx, (db) => listEmails(db, id, filters, pagination));
  const search = { text: q, inSubjects: mayReadContent(caller) };
  return (pagination) =>
    inTurn(ctx, liveId, () => read(ctx, (db) => searchEmails(db, id, { filters, search }, pagination)));
}

async function withIdempotencyKey(ctx: ApiContext, workspaceId: string, query: ListQuery): Promise<EmailFilters> {
  const filters = toFilters(query, ctx.now());
  if (query.idempotency_key === undefined) return filters;
  const ids = await findIdsByIdempotencyKey(ctx.db, workspaceId, query.idempotency_key);
  return { ...filters, ids: filters.ids ? ids.filter((id) => filters.ids?.includes(id)) : ids };
}

/**
 * Runs one search per workspace at a time, and then makes the workspace wait for as long as the search took, so its
 * searches keep Postgres busy at most half of the time.
 */
async function inTurn<Result>(ctx: ApiContext, workspaceId: string, read: () => Promise<Result>): Promise<Result> {
  const turn = await ctx.turns.content.begin(workspaceId);
  const startedAt = performance.now();
  try {
    return await read();
  } finally {
    turn.end(performance.now() - startedAt);
  }
}
