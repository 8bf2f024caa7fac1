import { type Browser, chromium } from 'playwright-core';

/** A browser that serves nobody but its pages, and resolves no name but this machine's. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

const START_TIMEOUT_MS = 120_000;

/**
 * Its profile is a fresh temporary folder, which goes when it is closed. Root must do without the
 * sandbox; so does everybody, since its pages are only ours.
 */
export function launchBrowser(program: string): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: FLAGS,
    chromiumSandbox: false,
    timeout: START_TIMEOUT_MS,
  });
}
