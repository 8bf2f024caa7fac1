import { migrateDatabase } from '@posthorn/domain/schema';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../command-line/context.js';

export function addDbCommands(db: Command, run: RunAction): void {
  db.command('migrate')
    .description('apply pending migrations, while processes of the previous version keep working')
    .action(() => run(migrate));
}

async function migrate({ config }: CliContext) {
  const applied = await migrateDatabase(config.databaseUrl, {
    poolMode: config.databasePoolMode,
    onWait({ migration, pauseMs }) {
      const seconds = Math.ceil(pauseMs / 1_000);
      process.stderr.write(
        migration === null
          ? 'posthorn: Another process is migrating the database. Waiting until it has finished.\n'
          : `posthorn: Another transaction holds a lock that ${migration} needs. Trying again in ${seconds} s.\n`,
      );
    },
  });
  return { applied };
}
