import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders where package managers install programs. They are searched in case PATH does not contain them. */
const EXTRA_FOLDERS = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** @returns the full path of a program, or null if it is not installed */
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
