import type { Mode } from '@posthorn/contract';
import type { Knex } from 'knex';
import type { Workspace } from './workspace.js';

/**
 * The workspace that holds the test mail. It has no caps, and no templates, domains, keys or members of its own.
 * @returns null if the workspace never had a test key
 */
export function testWorkspaceOf(live: Workspace): Workspace | null {
  if (live.testId === null) return null;
  const allowance = { ...live.allowance, monthly: null, monthlyCap: null, daily: null };
  return { ...live, id: live.testId, testId: null, liveId: live.id, allowance };
}

/** Whether the workspace holds test mail. */
export function isTest({ id, liveId }: Pick<Workspace, 'id' | 'liveId'>): boolean {
  return id !== liveId;
}

export function modeOf(workspace: Pick<Workspace, 'id' | 'liveId'>): Mode {
  return isTest(workspace) ? 'test' : 'live';
}

/** Creates the workspace for test mail if there is none yet. The live workspace must be locked. */
export async function ensureTestWorkspace(trx: Knex, liveId: string, newId: string): Promise<void> {
  await trx.raw(
    `insert into workspaces (id, name, slug, plan_id, test_of)
     select :newId::uuid, name, :newId, plan_id, id from workspaces
     where id = :liveId and not exists (select from workspaces where test_of = :liveId)`,
    { liveId, newId },
  );
}
