import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Context } from '@posthorn/domain';

const MAIN = join(__dirname, '../src/main.ts');

export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

type Surroundings = { readonly env?: Record<string, string>; readonly cwd?: string };

/** Runs the command as its users do, in a process of its own. */
export function runPosthorn(words: readonly string[], { env = {}, cwd }: Surroundings): Promise<Outcome> {
  const { PATH = '' } = process.env;
  const args = ['--import', require.resolve('tsx'), '--conditions=@posthorn/source', MAIN, ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { PATH, ...env }, ...(cwd && { cwd }) }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** The command on the context's servers. */
export function posthornOn({ config }: Context): (...words: string[]) => Promise<Outcome> {
  const env = {
    DATABASE_URL: config.databaseUrl,
    REDIS_URL: config.redisUrl,
    SECRET_KEY: config.secretKey ?? '',
    PLATFORM_SENDER_DOMAIN: config.platformSenderDomain,
  };
  return (...words) => runPosthorn(words, { env });
}

/** The document that `--json` printed. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own
export function documentOf({ code, stdout, stderr }: Outcome): any {
  if (code !== 0) throw new Error(`posthorn ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
