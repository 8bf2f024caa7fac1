import { CommanderError } from 'commander';
import { describeFailure } from './failure.js';
import { openOperator } from './operator.js';
import { printFailure, printResult } from './print.js';
import { createProgram } from './program.js';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command to its end.
 * @param words of the command line, without the interpreter and the script
 * @returns the exit code
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  const json = words.includes('--json');
  const program = createProgram(async (work) => {
    const operator = openOperator();
    try {
      printResult(await work(operator), { json });
    } finally {
      await operator.db.destroy();
    }
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === DONE) return DONE;
    if (error instanceof CommanderError && error.code === 'commander.help') return WRONG_USAGE;
    printFailure(describeFailure(error), { json });
    return error instanceof CommanderError ? WRONG_USAGE : FAILED;
  }
}
