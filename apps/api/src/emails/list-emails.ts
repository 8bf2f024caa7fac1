import {
  type EmailStatus,
  type EmailSummary as EmailSummaryJson,
  emailStatuses,
  type Mode,
  modes,
} from '@posthorn/contract';
import { findIdsByIdempotencyKey } from '@posthorn/domain/accepting';
import type { Caller } from '@posthorn/domain/accounts';
import {
  type EmailFilters,
  type EmailSummary,
  listEmails,
  parseMessageId,
  searchEmails,
} from '@posthorn/domain/emails';
import { limits, MIN_SEARCH_CHARACTERS } from '@posthorn/domain/limits';
import type { ListPage, Pagination } from '@posthorn/platform/postgres';
import { readExport, readList } from '@posthorn/platform/replica';
import { DAY_MS } from '@posthorn/platform/values';
import Joi from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { exportCsv, toCsvLine } from '../csv/csv-export.js';
import { runInContentTurn } from '../request-steps/take-turn.js';
import { hideUnreadable, mayReadContent } from '../routing/access.js';
import { findDomainIds, findWorkspaceOfMode } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery } from '../routing/lists.js';
import { withAliases } from '../validation/field-rules.js';
import { bareAddress, buildId, queryTimestamp } from '../validation/field-schemas.js';
import { viewSummary } from './view.js';

export type ListQuery = PaginationQuery & {
  q?: string;
  mode?: Mode;
  message_id?: NonNullable<ReturnType<typeof parseMessageId>>;
  idempotency_key?: string;
  status?: EmailStatus;
  to?: string;
  from_?: string;
  tag?: string;
  template_id?: string;
  created_after?: string;
  created_before?: string;
  format?: 'csv';
};

const MESSAGE_ID_EXPECTED =
  'must be a Message-ID of this service, such as <0192f0c1-0000-7000-8000-000000000000@example.com>, or an email id';

export const listQuery = buildListQuery<ListQuery>({
  q: withAliases(
    Joi.string()
      .min(MIN_SEARCH_CHARACTERS)
      .max(limits.searchText.max)
      .pattern(/^\P{Cc}*$/u, 'text without line breaks or control characters'),
    ...['query', 'search', 'subject', 'text'],
  ),
  message_id: Joi.string()
    .max(limits.messageId.max)
    .custom((text: string, helpers) => parseMessageId(text) ?? helpers.message({ custom: MESSAGE_ID_EXPECTED })),
  idempotency_key: Joi.string()
    .max(limits.idempotencyKey.max)
    .pattern(/^[\x20-\x7e]+$/, 'an Idempotency-Key, which has only printable ASCII characters'),
  mode: Joi.valid(...modes),
  status: Joi.valid(...emailStatuses),
  to: bareAddress,
  from_: bareAddress,
  tag: Joi.string().pattern(/^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$/, 'a tag of the form name:value'),
  template_id: buildId('must be a template id'),
  created_after: queryTimestamp,
  created_before: queryTimestamp,
  format: Joi.valid('csv').messages({ 'any.only': 'must be csv; without it, the response is JSON' }),
});

/**
 * Without `created_after`, a text search goes back 30 days, unless the query says which emails to look at.
 * @param now the time of the request
 */
function toFilters(query: ListQuery, now: Date): EmailFilters {
  return {
    ...toPeriod(query, now),
    ...(query.status !== undefined && { status: query.status }),
    ...(query.to !== undefined && { to: query.to }),
    ...(query.from_ !== undefined && { from: query.from_ }),
    ...(query.tag !== undefined && { tag: query.tag }),
    ...(query.template_id !== undefined && { templateId: query.template_id }),
    ...(query.message_id && { ids: [query.message_id.id] }),
    ...(query.message_id?.host && { senderHost: query.message_id.host }),
  };
}

function toPeriod(query: ListQuery, now: Date): EmailFilters {
  const { q, message_id, idempotency_key, created_after, created_before } = query;
  const createdBefore = created_before === undefined ? undefined : new Date(created_before);
  const readsThroughList = q !== undefined && message_id === undefined && idempotency_key === undefined;
  const searchedSince = readsThroughList && new Date((createdBefore ?? now).getTime() - limits.searchDays.max * DAY_MS);
  const createdAfter = created_after === undefined ? searchedSince : new Date(created_after);
  return { ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) };
}

type ReadPage = (pagination: Pagination) => Promise<ListPage<EmailSummary>>;

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
  const domainIds = findDomainIds(caller);
  const filters = { ...(await addIdempotencyKey(ctx, id, query)), ...(domainIds && { domainIds }) };
  const { q, format } = query;
  const read = format === 'csv' ? readExport : readList;
  if (q === undefined) return (pagination) => read(ctx, (db) => listEmails(db, id, filters, pagination));
  const search = { text: q, inSubjects: mayReadContent(caller) };
  const searchPage = (pagination: Pagination) =>
    read(ctx, (db) => searchEmails(db, id, { filters, search }, pagination));
  // One search per workspace at a time. Then it pauses for as long, so its searches keep Postgres busy at most half of
  // the time.
  return (pagination) =>
    runInContentTurn(
      ctx,
      liveId,
      () => searchPage(pagination),
      (_, tookMs) => tookMs,
    );
}

async function addIdempotencyKey(ctx: ApiContext, workspaceId: string, query: ListQuery): Promise<EmailFilters> {
  const filters = toFilters(query, ctx.now());
  if (query.idempotency_key === undefined) return filters;
  const ids = await findIdsByIdempotencyKey(ctx.db, workspaceId, query.idempotency_key);
  return { ...filters, ids: filters.ids ? ids.filter((id) => filters.ids?.includes(id)) : ids };
}

export const exportColumns = [
  'id',
  'status',
  'from_',
  'to',
  'subject',
  'template_id',
  'tags',
  'created_at',
  'scheduled_at',
] as const satisfies ReadonlyArray<keyof EmailSummaryJson>;

export function exportEmails(
  ctx: ApiContext,
  caller: Caller,
  { readPage, mode }: { readPage: ReadPage; mode: Mode },
): AsyncGenerator<string> {
  return exportCsv(ctx, caller.workspace.liveId, {
    columns: exportColumns,
    async readPage(pagination) {
      const { rows, nextCursor } = await readPage(pagination);
      return {
        lines: rows.map((email) => toLine(hideUnreadable(caller, viewSummary(email, mode)))).join(''),
        nextCursor,
      };
    },
  });
}

function toLine(email: EmailSummaryJson): string {
  const { to, tags } = email;
  const cells = { ...email, to: to.join('; '), tags: tags.map(({ name, value }) => `${name}:${value}`).join('; ') };
  return toCsvLine(exportColumns.map((column) => cells[column] ?? ''));
}

export type StatsQuery = { days?: string };

export const statsQuery = Joi.object<StatsQuery>({
  days: Joi.string().pattern(/^([1-9]|[12]\d|3[01])$/, `a whole number from 1 to ${limits.statsDays.max}`),
});

export function toDays({ days }: StatsQuery): number {
  return Number(days ?? limits.statsDays.max);
}
