import {
  ConfigError,
  cancelMove,
  connectDatabase,
  MoveError,
  moveWorkspace,
  readMoveDatabaseUrl,
} from '@posthorn/domain';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../context.js';
import { CliError } from '../errors.js';
import { parseSeconds } from '../option-parsers.js';

/** Requests that began before the move are finished within this time, apart from very slow uploads. */
const GRACE_SECONDS = 15;
const DRAIN_SECONDS = 120;

type MoveArguments = {
  readonly address: string;
  readonly grace: number;
  readonly drain: number;
  readonly cancel?: boolean;
};

export function addMoveCommand(workspace: Command, run: RunAction): void {
  workspace
    .command('move')
    .description(
      'prototype: move a workspace to the database in MOVE_DATABASE_URL; repeat the command if it was interrupted',
    )
    .argument('<id>', 'ID of the workspace')
    .option('--address <text>', 'where its users find it afterwards, as the error will say', 'another installation')
    .option('--grace <seconds>', 'how long requests that began before the move may take', parseSeconds, GRACE_SECONDS)
    .option(
      '--drain <seconds>',
      'how long to wait for workers; after that, the workspace stays',
      parseSeconds,
      DRAIN_SECONDS,
    )
    .option('--cancel', 'let the workspace continue here after an interrupted move')
    .action((id: string, options: MoveArguments) => run((ctx) => withCliErrors(() => move(ctx, id, options))));
}

async function move({ db }: CliContext, id: string, { address, grace, drain, cancel }: MoveArguments) {
  if (cancel) {
    await cancelMove(db, id);
    return { workspace_id: id, moved: false };
  }
  const target = connectDatabase(readTarget(), { poolSize: 2 });
  try {
    const { rows } = await moveWorkspace(
      { source: db, target },
      { id, movedTo: address, graceMs: grace * 1_000, drainMs: drain * 1_000, onStep: printStep },
    );
    return { workspace_id: id, moved: true, rows };
  } finally {
    await target.destroy();
  }
}

function readTarget(): string {
  try {
    return readMoveDatabaseUrl();
  } catch (error) {
    throw error instanceof ConfigError ? new CliError('configuration', error.faults.join(' ')) : error;
  }
}

/** Shows progress on standard error, so that --json prints one document. */
function printStep(step: string): void {
  process.stderr.write(`${step}\n`);
}

async function withCliErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MoveError ? new CliError('not_moved', error.message) : error;
  }
}
