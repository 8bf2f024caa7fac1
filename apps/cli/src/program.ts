import { Command } from 'commander';
import { addDbCommands } from './commands/db.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addDomainCommands } from './commands/domain.js';
import { addEmailCommands } from './commands/email.js';
import { addErasureCommands } from './commands/erasure.js';
import { addKeyCommands } from './commands/key.js';
import { addPlanCommands } from './commands/plan.js';
import { addQueueCommands } from './commands/queue.js';
import { addRestoreCommands } from './commands/restore.js';
import { addSecretsCommands } from './commands/secrets.js';
import { addSuppressionCommands } from './commands/suppression.js';
import { addTopCommand } from './commands/top.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addWorkspaceCommands } from './commands/workspace.js';
import type { RunAction } from './context.js';
import { readVersion } from './read-version.js';

const HELP_FOOTER = `
Environment:
  DATABASE_URL            address of the database
  REDIS_URL               address of Redis; used by "queue status", "doctor" and
                          "erasure repeat"
  SECRET_KEY              the same value as for the API and the worker; "erasure repeat",
                          "suppression add", "suppression remove" and "secrets reencrypt" need it,
                          and "domain platform" and "domain show" if they have to create a DKIM key
  SECRET_KEY_PREVIOUS     earlier values of SECRET_KEY, comma-separated; "secrets reencrypt" and
                          "erasure repeat" decrypt with them what was encrypted with them
  PLATFORM_SENDER_DOMAIN  the same value as for the API and the worker; used by "domain platform",
                          "domain show", "domain create" and "doctor"
  METRICS_PORT            port of the worker on this machine that "top" asks
  DNS_SERVERS, SMTP_URL, DATABASE_REPLICA_URL, PUBLIC_URL, TRACKING_URL
                          the same values as for the processes; "doctor" checks what they name

If DATABASE_URL or REDIS_URL is not set, its value comes from .posthorn/runtime.json, which exists
while "npm start" is running in the current folder.

Exit codes:
  0  success
  1  failure
  2  usage error

Errors are printed on one line to standard error.`;

export function createProgram(run: RunAction): Command {
  const program = new Command('posthorn')
    .description('Manage a Posthorn installation')
    .version(readVersion(), '--version', 'print the version')
    .option('--json', 'print the result as one JSON document')
    .addHelpText('after', HELP_FOOTER)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  addDbCommands(program, run);
  addWorkspaceCommands(program, run);
  addPlanCommands(program, run);
  addKeyCommands(program, run);
  addDomainCommands(program, run);
  addEmailCommands(program, run);
  addQueueCommands(program, run);
  addRestoreCommands(program, run);
  addDoctorCommand(program, run);
  addErasureCommands(program, run);
  addSuppressionCommands(program, run);
  addSecretsCommands(program, run);
  addTopCommand(program, run);
  addWebhookCommands(program);
  return program;
}
