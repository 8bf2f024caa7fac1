import { listSuppressions, type Suppression, type SuppressionFilters } from '@posthorn/domain/suppressions';
import { readExport } from '@posthorn/platform/replica';
import type { ApiContext } from '../context.js';
import { csvExport } from '../csv/csv-export.js';
import { csvLine } from '../csv/csv-line.js';

/** The columns of an export, in this order. An import reads all but the last one. */
export const exportColumns = ['address', 'reason', 'topic', 'created_at'] as const;

/** Yields the suppressions of a workspace as CSV, newest first. Those of erased addresses are left out. */
export function exportSuppressions(
  ctx: ApiContext,
  workspaceId: string,
  filters: SuppressionFilters,
): AsyncGenerator<string> {
  return csvExport(ctx, workspaceId, {
    columns: exportColumns,
    async readPage(pagination) {
      const { rows, nextCursor } = await readExport(ctx, (db) =>
        listSuppressions(db, workspaceId, filters, pagination),
      );
      return { lines: rows.map(toLine).join(''), nextCursor };
    },
  });
}

function toLine({ address, reason, topic, createdAt }: Suppression): string {
  return address === null ? '' : csvLine([address, reason, topic ?? '', createdAt.toISOString()]);
}
