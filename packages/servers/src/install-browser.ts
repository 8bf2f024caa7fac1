import { findBrowser } from './find-browser.js';
import { ensureProgram, type MachineProgram } from './install-program.js';

const browser: MachineProgram = {
  name: 'Chromium',
  find: findBrowser,
  packages: {
    'apt-get': ['chromium'],
    dnf: ['chromium'],
    apk: ['chromium'],
    pacman: ['chromium'],
    brew: ['google-chrome'],
  },
  need: 'The browser tests need Chromium or Chrome, and this machine has none that runs',
  byHand: 'chromium or google-chrome',
};

/**
 * The path of a Chromium or Chrome, which is installed where it is missing.
 * @throws Error that says what to install, when we may not or could not
 */
export function ensureBrowser(log: (line: string) => void): Promise<string> {
  return ensureProgram(browser, log);
}
