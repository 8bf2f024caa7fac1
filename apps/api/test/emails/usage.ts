import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitOverrides } from '@posthorn/domain/plans';
import type { TestApi } from '../open-test-api.js';

/** Longer than a process caches what it has read about a key. */
const NOTICED_MS = 600;

/** Overrides limits as an operator would, and waits until every process uses them. */
export async function setLimits(t: TestApi, limits: LimitOverrides): Promise<void> {
  await t.ctx
    .db('workspaces')
    .where({ id: t.workspace.id })
    .update({ limit_overrides: JSON.stringify(limits) });
  await sleep(NOTICED_MS);
}

/** The counted sends of the workspace. */
export async function readUsage(t: TestApi, workspaceId = t.workspace.id): Promise<{ month: number; day: number }> {
  const rows = await t.ctx.db('usage').select('period', 'used').where({ workspace_id: workspaceId });
  const used = (length: number) => rows.find(({ period }) => period.length === length)?.used ?? 0;
  return { month: used('2026-11'.length), day: used('2026-11-21'.length) };
}

export async function countEmails(t: TestApi, workspaceId = t.workspace.id): Promise<number> {
  return (await t.ctx.db('emails').where({ workspace_id: workspaceId })).length;
}
