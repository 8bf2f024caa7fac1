import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { addSuppression, listSuppressions, removeSuppression, type Suppression } from '@posthorn/domain/suppressions';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import { isId } from '@posthorn/platform/values';
import type { Command } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';
import { parseAddress, parseName, parsePageSize } from '../command-line/options.js';
import { pick } from '../command-line/print.js';

const MAX_LISTED = 100;

export function addSuppressionCommands(suppression: Command, run: RunAction): void {
  const ofWorkspace = [
    '--workspace <id>',
    'ID of the workspace (default: the suppressions for all workspaces)',
  ] as const;

  suppression
    .command('add')
    .description('send nothing more to an address, from one workspace or from all')
    .argument('<address>', 'such as jane@example.com', parseAddress)
    .option(...ofWorkspace)
    .option('--detail <text>', 'why; with --workspace, its owners can read it', parseName(limits.suppressionDetail.max))
    .action((address, options) => run((ctx) => add(ctx, address, options)));

  suppression
    .command('list')
    .description('list the suppressions of a workspace, or those for all workspaces, newest first')
    .option(...ofWorkspace)
    .option('--address <address>', 'list only those of this address', parseAddress)
    .option('--limit <count>', `maximum number to list, at most ${MAX_LISTED}`, parsePageSize, MAX_LISTED)
    .option('--after <id>', 'list only suppressions that are older than the one with this ID')
    .action((options) => run((ctx) => list(ctx, options)));

  suppression
    .command('remove')
    .description('let an address get mail again, unless it has other suppressions')
    .argument('<id>', 'ID of the suppression')
    .option(...ofWorkspace)
    .option('--because <text>', 'why; required for a complaint', parseName(limits.removalReason.max))
    .action((id, options) => run((ctx) => remove(ctx, id, options)));
}

type OfWorkspace = { workspace?: string };

async function add(ctx: CliContext, address: string, { workspace, detail }: OfWorkspace & { detail?: string }) {
  const workspaceId = await getWorkspaceId(ctx, workspace);
  return view(await addSuppression(ctx, operator, workspaceId, { address, topic: null, detail: detail ?? null }));
}

async function list(
  ctx: CliContext,
  { workspace, address, limit, after }: OfWorkspace & { address?: string; limit: number; after?: string },
) {
  const workspaceId = await getWorkspaceId(ctx, workspace);
  if (after !== undefined && !isId(after)) throw notFound('suppression', after);
  const page = { limit: Math.min(limit, MAX_LISTED), after: after ?? null, before: null };
  const { rows } = await listSuppressions(ctx.db, workspaceId, { address }, page);
  return rows.map(view);
}

async function remove(ctx: CliContext, id: string, { workspace, because }: OfWorkspace & { because?: string }) {
  const workspaceId = await getWorkspaceId(ctx, workspace);
  const removed = isId(id)
    ? await removeSuppression(ctx, operator, workspaceId, { id, because: because ?? null })
    : null;
  if (!removed) throw notFound('suppression', id);
  return { id, removed: true };
}

async function getWorkspaceId(ctx: CliContext, workspace: string | undefined): Promise<string> {
  if (workspace === undefined) return EVERY_WORKSPACE;
  await assertWorkspaceExists(ctx, workspace);
  return workspace;
}

function view({ workspaceId, ...suppression }: Suppression) {
  return {
    id: suppression.id,
    workspaceId: workspaceId === EVERY_WORKSPACE ? null : workspaceId,
    ...pick(suppression, ['address', 'topic', 'reason', 'detail', 'createdAt']),
  };
}
