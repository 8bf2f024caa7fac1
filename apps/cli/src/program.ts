import { Command } from 'commander';
import { declareDb } from './commands/db.js';
import { declareDomain } from './commands/domain.js';
import { declareEmail } from './commands/email.js';
import { declareKey } from './commands/key.js';
import { declarePlan } from './commands/plan.js';
import { declareQueue } from './commands/queue.js';
import { declareWorkspace } from './commands/workspace.js';
import type { Run } from './run.js';

const EPILOGUE = `
DATABASE_URL names the database, and REDIS_URL the Redis that "queue status" asks. Where they are
not set, those of a local service (npm start) that runs in the current folder are used, as
.posthorn/runtime.json has them.

"domain platform" and "domain show" may have to make a key: for that they need the SECRET_KEY and the
PLATFORM_SENDER_DOMAIN that the service has.

Exit code: 0 done, 1 failed, 2 wrong usage. Errors are one line on standard error.`;

/** Every command, declared by the file of its noun. */
export function createProgram(run: Run): Command {
  const program = new Command('posthorn')
    .description("The operator's command of Posthorn")
    .option('--json', 'print one JSON document')
    .addHelpText('after', EPILOGUE)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  declareDb(program, run);
  declareWorkspace(program, run);
  declarePlan(program, run);
  declareKey(program, run);
  declareDomain(program, run);
  declareEmail(program, run);
  declareQueue(program, run);
  return program;
}
