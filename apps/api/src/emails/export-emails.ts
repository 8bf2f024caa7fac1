import type { EmailSummary as EmailSummaryJson } from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import type { Mode } from '@posthorn/domain/workspaces';
import type { ApiContext } from '../context/api-context.js';
import { exportCsv, toCsvLine } from '../csv/csv-export.js';
import { hideUnreadable } from '../routing/access.js';
import type { ReadPage } from './read-list.js';
import { viewSummary } from './view.js';

/** The columns of an export, in this order. */
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

/** Yields the emails that `readPage` reads, as CSV. */
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
