import { migrateDatabase } from '@posthorn/domain';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../context.js';

export function addDbCommands(program: Command, run: RunAction): void {
  const db = program.command('db').description('manage the database');
  db.command('migrate')
    .description('apply pending migrations')
    .action(() => run(migrate));
}

async function migrate({ config }: CliContext) {
  return { applied: await migrateDatabase(config.databaseUrl) };
}
