import { countWaiting } from '@posthorn/domain/emails';
import { prepareRestore, releaseParked } from '@posthorn/domain/restores';
import { migrateDatabase } from '@posthorn/domain/schema';
import type { Command } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';

export function addRestoreCommands(restore: Command, run: RunAction): void {
  restore
    .command('prepare')
    .description(
      'before you start any process on a restored database: park all waiting emails, and disregard what Redis remembers',
    )
    .action(() => run(prepare));

  restore
    .command('release')
    .description('let workers send the parked emails')
    .option('--workspace <id>', 'only the emails of this workspace')
    .action(({ workspace }: { workspace?: string }) => run((ctx) => release(ctx, workspace ?? null)));
}

/** The backup may be from an older version. */
async function prepare({ config, db }: CliContext) {
  const { databaseUrl, databasePoolMode: poolMode } = config;
  await migrateDatabase(databaseUrl, { poolMode });
  const { incarnation, parked } = await prepareRestore(databaseUrl, poolMode);
  return { incarnation, newlyParked: parked, parked: (await countWaiting(db)).parked };
}

async function release(ctx: CliContext, workspaceId: string | null) {
  if (workspaceId !== null) await assertWorkspaceExists(ctx, workspaceId);
  const released = await releaseParked(ctx, workspaceId);
  return { released, stillParked: (await countWaiting(ctx.db)).parked };
}
