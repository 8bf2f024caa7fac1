import type { Actor } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Template } from './template.js';
import { lockTemplate } from './template-store.js';
import { declaredVariables } from './template-variables.js';
import { findVersionRecord, type TemplateRef } from './template-version-store.js';
import { storeChanges } from './update-template.js';

/**
 * Stores the content of an old version as a new version. The name does not change, because names are not versioned.
 * @returns the template, without a new version if it already has that content; null when there is no such version
 * @throws Refusal rate_limited for too many updates in a row
 */
export async function restoreVersion(
  ctx: Pick<Context, 'db' | 'now'>,
  actor: Actor,
  { workspaceId, id }: TemplateRef,
  version: number,
): Promise<Template | null> {
  return ctx.db.transaction(async (trx) => {
    const current = await lockTemplate(trx, workspaceId, id);
    const old = current && (await findVersionRecord(trx, workspaceId, id, version));
    if (!old) return null;
    const { subject, htmlBody, textBody, variables } = old;
    const changes = { subject, htmlBody, textBody, declared: declaredVariables(variables) };
    return storeChanges(trx, workspaceId, current, { changes, actor, now: ctx.now(), restored: version });
  });
}
