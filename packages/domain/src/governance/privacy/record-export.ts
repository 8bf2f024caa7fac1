import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';

/** Writes to the audit log that an export of the workspace begins. */
export async function recordExport(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  { liveId, name }: Pick<Workspace, 'liveId' | 'name'>,
): Promise<void> {
  await db.transaction((trx) =>
    recordChange(trx, actor, {
      workspaceId: liveId,
      action: 'workspace.exported',
      target: { type: 'workspace', id: liveId, label: name },
      before: null,
      after: { format: 'ndjson' },
    }),
  );
}
