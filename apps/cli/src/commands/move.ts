import { cancelMove, connectDatabase, MoveError, moveWorkspace } from '@posthorn/domain';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../context.js';
import { CliError } from '../errors.js';

/** Requests that began before the move are finished within this time, apart from very slow uploads. */
const GRACE_SECONDS = '15';
const DRAIN_SECONDS = '120';

type MoveArguments = {
  readonly to?: string;
  readonly address: string;
  readonly grace: string;
  readonly drain: string;
  readonly cancel?: boolean;
};

export function addMoveCommand(workspace: Command, run: RunAction): void {
  workspace
    .command('move')
    .description('prototype: move a workspace to another database; repeat the command if it was interrupted')
    .argument('<id>', 'ID of the workspace')
    .option('--to <database url>', 'the database to move to, which has the same schema')
    .option('--address <text>', 'where its users find it afterwards, as the error will say', 'another installation')
    .option('--grace <seconds>', 'how long requests that began before the move may take', GRACE_SECONDS)
    .option('--drain <seconds>', 'how long to wait for workers; after that, the workspace stays', DRAIN_SECONDS)
    .option('--cancel', 'let the workspace continue here after an interrupted move')
    .action((id: string, options: MoveArguments) => run((ctx) => inSentences(() => move(ctx, id, options))));
}

async function move({ db }: CliContext, id: string, { to, address, grace, drain, cancel }: MoveArguments) {
  if (cancel) {
    await cancelMove(db, id);
    return { workspace_id: id, moved: false };
  }
  if (to === undefined) throw new CliError('invalid', 'Name the database to move to with --to, or add --cancel.');
  const target = connectDatabase(to, { poolSize: 2 });
  try {
    const { rows } = await moveWorkspace(
      { source: db, target },
      { id, movedTo: address, graceMs: milliseconds(grace), drainMs: milliseconds(drain), onStep: printStep },
    );
    return { workspace_id: id, moved: true, rows: Object.values(rows).reduce((sum, count) => sum + count, 0) };
  } finally {
    await target.destroy();
  }
}

/** Shows progress on standard error, so that --json prints one document. */
function printStep(step: string): void {
  process.stderr.write(`${step}\n`);
}

function milliseconds(seconds: string): number {
  const value = Number(seconds);
  if (!(value >= 0)) throw new CliError('invalid', 'The seconds must be a number of at least 0.');
  return value * 1_000;
}

async function inSentences<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MoveError ? new CliError('not_moved', error.message) : error;
  }
}
