import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { collectFaults } from './page-faults.js';

const ACTION_TIMEOUT_MS = 30_000;
const NAVIGATION_TIMEOUT_MS = 60_000;

export type Pages = {
  /** A page that shares nothing, cookies included, with any other. Paths are the site's. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** The test makes a page commit this fault, and fails if none does. */
  expectFault(pattern: RegExp): void;
  /** Closes the pages of a test. @returns what it did not expect of them, and what it expected in vain */
  closePages(): Promise<{ unexpected: string[]; missing: RegExp[] }>;
};

/** The pages of one test after the other, in one browser, with the faults that they commit. */
export function openPages(browser: Browser, baseURL: string): Pages {
  const opened: Array<{ context: BrowserContext; faults: readonly string[] }> = [];
  const expected: RegExp[] = [];
  return {
    async newPage(options = {}) {
      const context = await browser.newContext({ ...STEADY, baseURL, ...options });
      opened.push({ context, faults: collectFaults(context) });
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

/** The same on every machine, and nothing that moves while a test looks. */
const STEADY: BrowserContextOptions = {
  locale: 'en-US',
  timezoneId: 'UTC',
  colorScheme: 'light',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
};
