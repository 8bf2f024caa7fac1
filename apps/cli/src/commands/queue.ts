import { operator } from '@posthorn/domain/audit-log';
import {
  countJobs,
  countNeedingNewerWorker,
  pauseQueue,
  readPausedQueues,
  readQueuePauses,
  resumeQueue,
} from '@posthorn/domain/delivery';
import { type CanceledWaiting, cancelWaiting, countWaiting, readBacklog } from '@posthorn/domain/emails';
import type { Command } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction, withRedis } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';
import { parseTime } from '../command-line/options.js';
import { pick } from '../command-line/print.js';

export function addQueueCommands(queue: Command, run: RunAction): void {
  queue
    .command('status')
    .description('count the emails waiting in Postgres (each count stops at 10,000) and the delivery jobs in Redis')
    .action(() => run(status));

  queue
    .command('pause')
    .description('stop workers from sending within a second or so; emails are still accepted')
    .option('--workspace <id>', 'only the emails of this workspace')
    .action(({ workspace }: WorkspaceOption) => run((ctx) => pause(ctx, workspace ?? null)));

  queue
    .command('resume')
    .description('let workers send again')
    .option('--workspace <id>', 'end the pause of this workspace (default: the pause of the whole service)')
    .action(({ workspace }: WorkspaceOption) => run((ctx) => resume(ctx, workspace ?? null)));

  queue
    .command('cancel')
    .description('cancel waiting emails, as their owners could, and refund them')
    .requiredOption(
      '--before <time>',
      'emails that were to be sent before this time, such as 2026-11-27T06:00Z',
      parseTime,
    )
    .option('--workspace <id>', 'only the emails of this workspace')
    .action(({ before, workspace }: WorkspaceOption & { before: Date }) =>
      run((ctx) => cancel(ctx, before, workspace ?? null)),
    );
}

type WorkspaceOption = { readonly workspace?: string };

async function status({ config, db }: CliContext) {
  const [backlog, waiting, needsNewerWorker, pauses] = await Promise.all([
    readBacklog(db),
    countWaiting(db),
    countNeedingNewerWorker(db),
    readQueuePauses(db),
  ]);
  return {
    ...pick(waiting, ['due', 'scheduled', 'deferred', 'sending', 'parked']),
    needsNewerWorker,
    oldestDueSeconds: backlog.oldestDueSeconds,
    ...(await readJobs(config)),
    paused: pauses.map((pause) => pick(pause, ['workspaceId', 'since'])),
  };
}

/** Everything else is in Postgres, so it is worth printing without Redis. */
async function readJobs(config: CliContext['config']) {
  try {
    return { jobs: await withRedis(config, countJobs) };
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'unavailable') throw error;
    return { jobs: null, redis: error.message };
  }
}

async function pause(ctx: CliContext, workspaceId: string | null) {
  if (workspaceId !== null) await assertWorkspaceExists(ctx, workspaceId);
  await pauseQueue(ctx, operator, workspaceId);
  return { workspaceId, paused: true };
}

async function resume(ctx: CliContext, workspaceId: string | null) {
  if (workspaceId !== null) await assertWorkspaceExists(ctx, workspaceId);
  await resumeQueue(ctx, operator, workspaceId);
  // The service may still be paused, and that holds the emails of this workspace too.
  const { isServicePaused } = await readPausedQueues(ctx.db);
  return { workspaceId, paused: isServicePaused };
}

async function cancel(ctx: CliContext, before: Date, workspaceId: string | null) {
  if (workspaceId !== null) await assertWorkspaceExists(ctx, workspaceId);
  const filter = { before, workspaceId };
  const { canceled, refunded, sending, ambiguous } = await cancelWaiting(ctx, operator, filter, printProgress);
  return { canceled, refundedSends: refunded, leftSending: sending, leftAmbiguous: ambiguous };
}

/** Standard output has only the result. */
function printProgress({ canceled }: CanceledWaiting): void {
  process.stderr.write(`canceled ${canceled}\n`);
}
