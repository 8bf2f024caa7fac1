import type { Actor } from '../audit-log/actor.js';
import { recordChange } from '../audit-log/record-change.js';
import type { Context } from '../context.js';
import type { Workspace } from '../workspaces/workspace.js';

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
