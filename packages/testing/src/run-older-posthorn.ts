import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Runs the posthorn command of another version, because our code may not fit its schema.
 * @param checkout the folder of the version, in which the command has been built
 * @returns what it printed as JSON
 */
export async function runOlderPosthorn(
  checkout: string,
  databaseUrl: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  const command = [join(checkout, 'apps/cli/dist/main.js'), ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return JSON.parse(stdout);
}
