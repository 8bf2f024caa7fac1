import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { collectPageFaults } from './collect-page-faults.js';

/** A machine may stand still for half a minute, and Chromium waits 20 s for a file that a closed page was loading. */
const ACTION_TIMEOUT_MS = 60_000;
const NAVIGATION_TIMEOUT_MS = 60_000;

export type Pages = {
  /**
   * Opens a page in a context that has no cookies, storage or permissions. Paths are relative to the stack.
   * @param options for a context of its own, which is closed after the test. Without them, the context is reused. So a
   *   test that changes its context (init scripts, listeners) passes options, even if they are empty.
   */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Expects a fault that matches the pattern. The test fails if no page has such a fault. */
  expectFault(pattern: RegExp): void;
  /** Closes the pages of a test. @returns unexpected faults, and expected ones that did not occur */
  closePages(): Promise<{ unexpected: string[]; missing: RegExp[] }>;
};

type OpenContext = {
  readonly context: BrowserContext;
  readonly faults: string[];
  /** Stays open in a context that is reused, so that the context keeps its renderer process. */
  readonly blank: Page | null;
};

/** Opens pages for one test after another, all in one browser, and collects their faults. */
export function openPages(browser: Browser, baseURL: string): Pages {
  const inUse: OpenContext[] = [];
  const reusable: OpenContext[] = [];
  const expected: RegExp[] = [];

  async function openContext(options?: BrowserContextOptions): Promise<OpenContext> {
    const context = await browser.newContext({ ...STABLE_OPTIONS, baseURL, ...options });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    context.setDefaultNavigationTimeout(NAVIGATION_TIMEOUT_MS);
    const faults = collectPageFaults(context);
    return { context, faults, blank: options === undefined ? await context.newPage() : null };
  }

  /** @returns the faults of its pages */
  async function release({ context, faults, blank }: OpenContext): Promise<string[]> {
    if (blank === null) await context.close();
    else {
      await resetContext(context, blank, new URL(baseURL).origin);
      reusable.push({ context, faults, blank });
    }
    return faults.splice(0);
  }

  return {
    async newPage(options) {
      const opened = (options === undefined ? reusable.pop() : undefined) ?? (await openContext(options));
      inUse.push(opened);
      return opened.context.newPage();
    },
    expectFault: (pattern) => void expected.push(pattern),
    async closePages() {
      const patterns = expected.splice(0);
      const faults = (await Promise.all(inUse.splice(0).map(release))).flat();
      return {
        unexpected: faults.filter((fault) => !patterns.some((pattern) => pattern.test(fault))),
        missing: patterns.filter((pattern) => !faults.some((fault) => pattern.test(fault))),
      };
    },
  };
}

/**
 * Closes the pages of a context and makes it forget them, except for the HTTP cache. A page in a new context takes a
 * third of a second more, because it needs a new renderer process and compiles the scripts again.
 */
async function resetContext(context: BrowserContext, blank: Page, origin: string): Promise<void> {
  const others = context.pages().filter((page) => page !== blank);
  await Promise.all(others.map((page) => page.close()));
  const devTools = await context.newCDPSession(blank);
  await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await Promise.all([
    devTools.detach(),
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll(),
  ]);
}

/** Options that make pages look the same on every machine, without animations. */
const STABLE_OPTIONS: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  colorScheme: 'light',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
};
