import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program to be run. `name` is what people read in messages, whatever wraps the program. */
export type Command = {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** User and group to run as, for the rare system where setpriv cannot be used. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Its working directory, when it matters. */
  readonly folder?: string;
  /** Variables beside ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** Opens an IPC channel to a Node program, which so learns that we are gone. */
  readonly ipc?: boolean;
};

/** Where a package manager may put programs that a bare PATH does not name. */
const EXTRA_FOLDERS = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** The full path of a program, or null when this machine does not have it. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...EXTRA_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
