import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findProgram } from './command.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where macOS keeps them, on no PATH. */
const MAC_PROGRAMS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

const ANSWER_TIMEOUT_MS = 60_000;

/**
 * A Chromium or Chrome that runs, or null. Some systems have a command of that name which only says
 * where to get the browser, so it is asked for its version.
 */
export function findBrowser(): string | null {
  const found = [...NAMES.map(findProgram), ...MAC_PROGRAMS.filter(existsSync)];
  return found.find((program) => program !== null && runs(program)) ?? null;
}

function runs(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: ANSWER_TIMEOUT_MS });
  return status === 0 && /\bChrom(e|ium) \d/.test(stdout);
}
