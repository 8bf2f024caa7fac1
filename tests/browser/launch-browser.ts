import { findMemoryFolder } from '@posthorn/servers';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

/**
 * Flags that turn off background traffic, keep the browser from resolving host names other than localhost, and save CPU
 * time: pages share one renderer process (a third less for each page), fewer threads draw, and scripts are not optimized,
 * because no page lives long enough.
 */
const FLAGS = [
  '--renderer-process-limit=1',
  '--disable-gpu',
  '--in-process-gpu',
  '--num-raster-threads=1',
  '--js-flags=--no-opt',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** With this flag, which Playwright adds, the browser keeps the memory that its processes share in files on disk. */
const SHARED_MEMORY_ON_DISK = '--disable-dev-shm-usage';

const START_TIMEOUT_MS = 120_000;

/**
 * A temporary profile is deleted when the browser closes. The sandbox does not work for root, and is not needed because
 * the browser loads only our own pages.
 */
const toOptions = (program: string) => ({
  executablePath: program,
  args: FLAGS,
  ignoreDefaultArgs: findMemoryFolder() === null ? [] : [SHARED_MEMORY_ON_DISK],
  chromiumSandbox: false,
  timeout: START_TIMEOUT_MS,
});

/** Launches a browser for this process. */
export function launchBrowser(program: string): Promise<Browser> {
  return chromium.launch(toOptions(program));
}

/** Launches a browser that several processes share. */
export function serveBrowser(program: string): Promise<BrowserServer> {
  return chromium.launchServer({ ...toOptions(program), host: '127.0.0.1' });
}

/** Connects to a browser that `serveBrowser` launched. */
export function connectBrowser(endpoint: string): Promise<Browser> {
  return chromium.connect(endpoint);
}

/** What `browser-server.ts` tells the browser tests of a run. */
export type Preparation = {
  /** Where the browser can be reached; null if none could be found or installed. */
  readonly endpoint: string | null;
  /** Why the dashboard could not be built. */
  readonly failure?: string;
};

export function readPreparation(): Preparation {
  const { TEST_BROWSER: found } = process.env;
  if (!found)
    throw new Error('The browser tests were not prepared. Run them from the root with `npm test` or `npx jest`.');
  return JSON.parse(found) as Preparation;
}
