import { readFileSync } from 'node:fs';
import {
  countRemainingEmails,
  eraseNextBatch,
  JournalError,
  readErasureJournal,
  repeatErasures,
} from '@posthorn/domain/erasure';
import { createLog } from '@posthorn/platform/logs';
import { createIncarnation } from '@posthorn/platform/postgres';
import type { Command } from 'commander';
import { type CliContext, type RunAction, withRedis } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';

export function addErasureCommands(erasure: Command, run: RunAction): void {
  erasure
    .command('export')
    .description('print the journal, one erasure per line; keep it outside the database, with the backups')
    .action(() => run(exportJournal));
  erasure
    .command('repeat')
    .description('after a restore, erase every recipient of the journal again')
    .option('--file <file>', 'what "posthorn erasure export" printed (default: the erasures in the database)')
    .action(({ file }: { file?: string }) => run((ctx) => repeat(ctx, file)));
}

/** Prints the lines as they are, with or without --json, because the file is read again by `repeat`. */
async function exportJournal(ctx: CliContext) {
  for await (const line of readErasureJournal(ctx)) process.stdout.write(`${line}\n`);
  return null;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw new CliError('invalid', `Cannot read the file: ${(error as Error).message}`);
  }
}

async function repeat(ctx: CliContext, file: string | undefined) {
  const lines = file === undefined ? null : readLines(file);
  const log = createLog('cli', 'warn');
  return withRedis(ctx.config, async (redis) => {
    const incarnation = createIncarnation(ctx.db);
    await incarnation.read();
    const { repeated, withoutWorkspace } = await repeatErasures(ctx, lines).catch(toCliError);
    while (await eraseNextBatch({ ...ctx, redis, incarnation, log }));
    return { repeated, withoutWorkspace, waitingEmails: await countRemainingEmails(ctx.db) };
  });
}

function toCliError(error: unknown): never {
  throw error instanceof JournalError ? new CliError('invalid', error.message) : error;
}
