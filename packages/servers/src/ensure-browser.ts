import { ensureProgram, type InstallableProgram } from './ensure-program.js';
import { findBrowser } from './find-browser.js';

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
