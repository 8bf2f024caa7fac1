import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ensureProgram, findProgram, type InstallableProgram } from './install-program.js';

const browser: InstallableProgram = {
  name: 'Chromium',
  find: findBrowser,
  packages: {
    'apt-get': ['chromium-headless-shell', 'chromium'],
    dnf: ['chromium'],
    apk: ['chromium'],
    pacman: ['chromium'],
    brew: ['google-chrome'],
  },
  problem: 'The browser tests need Chromium or Chrome, but no working one was found',
  manualInstall: 'chromium or google-chrome',
};

/**
 * Finds Chromium or Chrome, or installs it.
 * @returns its path
 * @throws Error with install instructions if it cannot be installed automatically
 */
export function ensureBrowser(log: (line: string) => void): Promise<string> {
  return ensureProgram(browser, log);
}

/** The first is Chromium without a user interface, which takes less CPU time to load a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** macOS installs browsers outside of PATH. */
const MAC_PROGRAMS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

const VERSION_TIMEOUT_MS = 60_000;

/**
 * Finds a working Chromium or Chrome by running `--version`. On some systems, a command with one of these names does
 * nothing but explain how to install the browser.
 * @returns null if there is none
 */
export function findBrowser(): string | null {
  const found = [...NAMES.map(findProgram), ...MAC_PROGRAMS.filter(existsSync)];
  return found.find((program) => program !== null && runs(program)) ?? null;
}

function runs(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS });
  return status === 0 && /\bChrom(e|ium) \d/.test(stdout);
}
