import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { collectPageFaults } from './collect-page-faults.js';

const ACTION_TIMEOUT_MS = 30_000;
const NAVIGATION_TIMEOUT_MS = 60_000;

export type Pages = {
  /** Opens a page that shares nothing with other pages, not even cookies. Paths are relative to the site. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Expects a fault that matches the pattern. The test fails if no page has such a fault. */
  expectFault(pattern: RegExp): void;
  /** Closes the pages of a test. @returns unexpected faults, and expected ones that did not occur */
  closePages(): Promise<{ unexpected: string[]; missing: RegExp[] }>;
};

/** Opens pages for one test after another, all in one browser, and collects their faults. */
export function openPages(browser: Browser, baseURL: string): Pages {
  const opened: Array<{ context: BrowserContext; faults: readonly string[] }> = [];
  const expected: RegExp[] = [];
  return {
    async newPage(options = {}) {
      const context = await browser.newContext({ ...STABLE_OPTIONS, baseURL, ...options });
      opened.push({ context, faults: collectPageFaults(context) });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      context.setDefaultNavigationTimeout(NAVIGATION_TIMEOUT_MS);
      return context.newPage();
    },
    expectFault: (pattern) => void expected.push(pattern),
    async closePages() {
      const [closing, patterns] = [opened.splice(0), expected.splice(0)];
      await Promise.all(closing.map(({ context }) => context.close()));
      const faults = closing.flatMap((page) => page.faults);
      return {
        unexpected: faults.filter((fault) => !patterns.some((pattern) => pattern.test(fault))),
        missing: patterns.filter((pattern) => !faults.some((fault) => pattern.test(fault))),
      };
    },
  };
}

/** Options that make pages look the same on every machine, without animations. */
const STABLE_OPTIONS: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  colorScheme: 'light',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
};
