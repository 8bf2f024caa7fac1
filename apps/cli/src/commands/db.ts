import { migrateDatabase } from '@posthorn/domain';
import type { Command } from 'commander';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';

export function declareDb(program: Command, run: Run): void {
  const db = program.command('db').description('the database');
  db.command('migrate')
    .description('bring the schema up to date')
    .action(() => run(migrate));
}

async function migrate({ config }: Operator) {
  return { applied: await migrateDatabase(config.databaseUrl) };
}
