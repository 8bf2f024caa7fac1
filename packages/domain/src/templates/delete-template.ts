import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { templateTarget } from './describe-template.js';
import { markDeleted } from './template-store.js';
import type { TemplateRef } from './template-version-store.js';

/** @returns false when there is no such template. The versions stay for the emails that use them. */
export async function deleteTemplate(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
): Promise<boolean> {
  return ctx.db.transaction(async (trx) => {
    const deleted = await markDeleted(trx, { workspaceId, id }, ctx.now());
    if (!deleted) return false;
    const { name, version } = deleted;
    const target = templateTarget({ id, name });
    const before = { name, version };
    await recordChange(trx, actor, { workspaceId, action: 'template.deleted', target, before, after: null });
    return true;
  });
}
