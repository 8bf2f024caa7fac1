import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Context } from '@posthorn/platform';
import { runCommand } from '../src/program.js';

/** Jest builds it before the first test (tests/build-programs.mjs). */
const MAIN = join(import.meta.dirname, '../dist/main.js');

export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

type RunOptions = { readonly env?: Record<string, string>; readonly cwd?: string };

/** The program and the arguments that run the posthorn command. */
export function posthornCommand(args: readonly string[]): [string, ...string[]] {
  return [process.execPath, MAIN, ...args];
}

/** Runs the posthorn command in a process of its own. */
export function runPosthorn(args: readonly string[], { env = {}, cwd }: RunOptions): Promise<CommandResult> {
  const { PATH = '' } = process.env;
  const [file, ...fileArgs] = posthornCommand(args);
  return new Promise((resolve) => {
    execFile(file, fileArgs, { env: { PATH, ...env }, ...(cwd && { cwd }) }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

type RunWith = (...args: string[]) => Promise<CommandResult>;

/**
 * Returns a function that runs commands in this process, which takes a hundredth of the CPU time of a new process. It
 * captures only the result and the error. A command that prints its progress, or reads files of the current folder,
 * needs a process of its own.
 */
export function posthornWith(env: Record<string, string>): RunWith {
  return async (...args) => {
    const output = { stdout: '', stderr: '' };
    const write = (stream: keyof typeof output) => ({
      write(text: string) {
        output[stream] += text;
      },
    });
    const code = await runCommand(args, { env, stdout: write('stdout'), stderr: write('stderr') });
    return { code, ...output };
  };
}

/** The same, against the database and Redis of the context. */
export function posthornFor(ctx: Context): RunWith {
  return posthornWith(toEnv(ctx));
}

/** The same in a process of its own, for commands that also show their progress. */
export function posthornProcessFor(ctx: Context): RunWith {
  return (...args) => runPosthorn(args, { env: toEnv(ctx) });
}

function toEnv({ config }: Context): Record<string, string> {
  return {
    DATABASE_URL: config.databaseUrl,
    REDIS_URL: config.redisUrl,
    SECRET_KEY: config.secretKey ?? '',
    PLATFORM_SENDER_DOMAIN: config.platformSenderDomain,
  };
}

/** Parses the output of a command that ran with `--json`. */
// biome-ignore lint/suspicious/noExplicitAny: each command prints a different type
export function parseOutput({ code, stdout, stderr }: CommandResult): any {
  if (code !== 0) throw new Error(`posthorn exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
