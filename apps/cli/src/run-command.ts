import { CommanderError } from 'commander';
import { openCliContext } from './context.js';
import { CliError, describeError } from './errors.js';
import { type Output, printError, printResult } from './print.js';
import { createProgram } from './program.js';

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
  const program = createProgram(async (action) => {
    const ctx = openCliContext(env);
    try {
      const result = await action(ctx);
      if (result !== null) printResult(result, { json, to: stdout });
    } finally {
      await ctx.db.destroy();
    }
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT_OK) return EXIT_OK;
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT_USAGE;
    if (error instanceof CliError && error.result !== null) printResult(error.result, { json, to: stdout });
    printError(describeError(error), { json, to: stderr });
    return error instanceof CommanderError ? EXIT_USAGE : EXIT_FAILED;
  }
}
