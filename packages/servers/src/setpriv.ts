import { spawnSync } from 'node:child_process';
import type { Command } from './command.js';
import { findProgram } from './find-program.js';

/**
 * Runs a command through setpriv from util-linux, which changes the privileges of the process and then replaces itself
 * with the command. The process ID stays the same.
 * @returns null if there is no setpriv that supports these options (macOS, BusyBox)
 */
export function withSetpriv(command: Command, options: readonly string[]): Command | null {
  const setpriv = findProgram('setpriv');
  if (setpriv === null || !supportsOptions(setpriv)) return null;
  return { ...command, program: setpriv, args: [...options, command.program, ...command.args] };
}

const supported = new Map<string, boolean>();

function supportsOptions(setpriv: string): boolean {
  const known = supported.get(setpriv);
  if (known !== undefined) return known;
  const { stdout } = spawnSync(setpriv, ['--help'], { encoding: 'utf8', timeout: 5_000 });
  const supports = typeof stdout === 'string' && stdout.includes('--ambient-caps') && stdout.includes('--pdeathsig');
  supported.set(setpriv, supports);
  return supports;
}

/**
 * Makes the kernel send `signal` to the command when this process ends, even if it is killed with SIGKILL. On systems
 * other than Linux, the server keeps running until the next start stops it (stale-process.ts).
 */
export function dieWithParent(command: Command, signal: 'INT' | 'TERM'): Command {
  return withSetpriv(command, [`--pdeathsig=${signal}`]) ?? command;
}
