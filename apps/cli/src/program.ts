import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type { RunAction } from './command-line/context.js';
import { type Output, printError, printResult } from './command-line/print.js';

type AddCommands = (command: Command, run: RunAction) => void;

/** A command, and what loads the code that adds its options and subcommands. */
type Entry = {
  readonly description: string;
  /** Whether it has options of its own, which the list of commands shows. */
  readonly hasOptions?: true;
  load(): Promise<AddCommands>;
};

/** Only the commands that are named on the command line are loaded, because they load most of the domain. */
const commands: Readonly<Record<string, Entry>> = {
  db: { description: 'manage the database', load: async () => (await import('./commands/db.js')).addDbCommands },
  workspace: {
    description: 'manage workspaces, their plans and their limits',
    load: async () => (await import('./commands/workspace.js')).addWorkspaceCommands,
  },
  plan: { description: 'manage plans', load: async () => (await import('./commands/workspace.js')).addPlanCommands },
  key: { description: 'manage API keys', load: async () => (await import('./commands/key.js')).addKeyCommands },
  domain: {
    description: 'manage sending domains',
    load: async () => (await import('./commands/domain.js')).addDomainCommands,
  },
  email: {
    description: 'inspect accepted emails',
    load: async () => (await import('./commands/email.js')).addEmailCommands,
  },
  relay: {
    description: 'manage the ways out: SMTP servers, with limits and the events of providers',
    load: async () => (await import('./commands/relay.js')).addRelayCommands,
  },
  route: {
    description: 'manage which mail goes out by which relays',
    load: async () => (await import('./commands/route.js')).addRouteCommands,
  },
  queue: {
    description: 'inspect the queue, stop and resume sending, cancel waiting emails',
    load: async () => (await import('./commands/queue.js')).addQueueCommands,
  },
  restore: {
    description: 'make a restored database safe to use',
    load: async () => (await import('./commands/restore.js')).addRestoreCommands,
  },
  doctor: {
    description: 'check Postgres, Redis, clocks, DNS, mail servers and certificates; changes nothing and sends no mail',
    load: async () => (await import('./commands/doctor.js')).addDoctorCommand,
  },
  erasure: {
    description: 'keep the journal of erased recipients, and repeat it',
    load: async () => (await import('./commands/erasure.js')).addErasureCommands,
  },
  inbound: {
    description: 'read mail to postmaster, abuse and fbl at the bounce hosts',
    load: async () => (await import('./commands/inbound.js')).addInboundCommands,
  },
  suppression: {
    description: 'manage the addresses that get no mail',
    load: async () => (await import('./commands/suppression.js')).addSuppressionCommands,
  },
  secrets: {
    description: 'manage what is stored encrypted',
    load: async () => (await import('./commands/secrets.js')).addSecretsCommands,
  },
  top: {
    description: 'show every second who sends, what waits, and which relays and destinations hold mail up',
    hasOptions: true,
    load: async () => (await import('./commands/top.js')).addTopCommand,
  },
  webhooks: {
    description: 'try webhooks during development',
    load: async () => (await import('./commands/webhooks.js')).addWebhookCommands,
  },
};

export const commandNames: readonly string[] = Object.keys(commands);

const HELP_FOOTER = `
Environment:
  DATABASE_URL            address of the database
  DATABASE_POOL_MODE      "transaction" if that leads to a PgBouncer in transaction mode
  REDIS_URL               address of Redis; used by "queue status", "doctor" and
                          "erasure repeat"
  SECRET_KEY              the same value as for the API and the worker; "erasure repeat",
                          "suppression add", "suppression remove", "secrets reencrypt", "relay add"
                          and "relay update" need it, and "domain platform" and "domain show" if they
                          have to create a DKIM key
  SECRET_KEY_PREVIOUS     earlier values of SECRET_KEY, comma-separated; "secrets reencrypt" and
                          "erasure repeat" decrypt with them what was encrypted with them
  PLATFORM_SENDER_DOMAIN  the same value as for the API and the worker; used by "domain platform",
                          "domain show", "domain create" and "doctor"
  METRICS_PORT            port of the worker on this machine that "top" asks
  DNS_SERVERS, SMTP_URL, DATABASE_REPLICA_URL, PUBLIC_URL, TRACKING_URL
                          the same values as for the processes; "doctor" checks what they name,
                          and the feedback_url of a relay begins with PUBLIC_URL

If DATABASE_URL or REDIS_URL is not set, its value comes from .posthorn/runtime.json, which exists
while "npm start" is running in the current folder.

Exit codes:
  0  success
  1  failure
  2  usage error

Errors are printed on one line to standard error.`;

/** @param args the command line. What it does not name is only listed, and not loaded */
export async function createProgram(args: readonly string[], run: RunAction): Promise<Command> {
  const program = new Command('posthorn')
    .description('Manage a Posthorn installation')
    .version(readVersion(), '--version', 'print the version')
    .option('--json', 'print the result as one JSON document')
    .addHelpText('after', HELP_FOOTER)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const [name, { description, hasOptions, load }] of Object.entries(commands)) {
    const command = program.command(name).description(description);
    if (args.includes(name)) (await load())(command, run);
    else if (hasOptions) command.addOption(new Option('--not-loaded').hideHelp());
  }
  return program;
}

/** The version of this package. The relative path is the same from the sources as from the build. */
function readVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;
}

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

type CommandProcess = { readonly env: NodeJS.ProcessEnv; readonly stdout: Output; readonly stderr: Output };

/**
 * Runs one command.
 * @param args the command line without the interpreter and the script
 * @returns the exit code
 */
export async function runCommand(
  args: readonly string[],
  { env, stdout, stderr }: CommandProcess = process,
): Promise<number> {
  const json = args.includes('--json');
  try {
    const program = await createProgram(args, async (action) => {
      const { openCliContext } = await import('./command-line/context.js');
      const ctx = openCliContext(env);
      try {
        const result = await action(ctx);
        if (result !== null) printResult(result, { json, to: stdout });
      } finally {
        await ctx.db.destroy();
      }
    });
    await program.parseAsync(args, { from: 'user' });
    return EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT_OK) return EXIT_OK;
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT_USAGE;
    const { CliError, describeError } = await import('./command-line/errors.js');
    if (error instanceof CliError && error.result !== null) printResult(error.result, { json, to: stdout });
    printError(describeError(error), { json, to: stderr });
    return error instanceof CommanderError ? EXIT_USAGE : EXIT_FAILED;
  }
}
