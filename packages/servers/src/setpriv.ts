import { spawnSync } from 'node:child_process';
import { type Command, findProgram } from './command.js';

/**
 * Runs a command through util-linux' setpriv, which changes what the process may do and then
 * becomes the command: the process id stays the one we started.
 * @returns null where there is no setpriv that knows these options (macOS, BusyBox)
 */
export function viaSetpriv(command: Command, options: readonly string[]): Command | null {
  const setpriv = findProgram('setpriv');
  if (setpriv === null || !knowsOptions(setpriv)) return null;
  return { ...command, program: setpriv, args: [...options, command.program, ...command.args] };
}

function knowsOptions(setpriv: string): boolean {
  const { stdout } = spawnSync(setpriv, ['--help'], { encoding: 'utf8', timeout: 5_000 });
  return typeof stdout === 'string' && stdout.includes('--ambient-caps') && stdout.includes('--pdeathsig');
}

/**
 * The kernel sends `signal` to the command when we are gone, even by SIGKILL. Elsewhere than on
 * Linux a server that was left behind is stopped by the next start (stale-process.ts).
 */
export function dieWithParent(command: Command, signal: 'INT' | 'TERM'): Command {
  return viaSetpriv(command, [`--pdeathsig=${signal}`]) ?? command;
}
