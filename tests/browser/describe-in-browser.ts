import type { Config } from '@posthorn/domain';
import { launchBrowser } from './launch-browser.js';
import { openPages, type Pages } from './open-pages.js';
import { readPreparation } from './preparation.js';
import { type Site, startSite } from './start-site.js';

const TEST_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 180_000;

/** What browser tests can use. It is filled in before the first test. */
export type BrowserTestContext = Site & Omit<Pages, 'closePages'>;

/**
 * Describes tests that use the running service through a real browser. They share one service and one browser; each
 * test gets new pages, and fails if its pages have unexpected faults. Without a browser, the tests are skipped.
 * @param config settings that these tests need
 */
export function describeInBrowser(
  title: string,
  define: (t: BrowserTestContext) => void,
  config: Partial<Config> = {},
): void {
  const { program, failure } = readPreparation();
  if (program === null) {
    // biome-ignore lint/suspicious/noSkippedTests: the tests need a browser, and the test report shows that they were skipped
    describe.skip(`${title} (no browser on this machine)`, () => define({} as BrowserTestContext));
    return;
  }
  jest.setTimeout(TEST_TIMEOUT_MS);
  describe(title, () => {
    const t = {} as BrowserTestContext;
    let pages: Pages | undefined;
    const closers: Array<() => Promise<void>> = [];

    beforeAll(async () => {
      if (failure) throw new Error(failure);
      const site = await startSite(config);
      closers.push(site.close);
      const browser = await launchBrowser(program);
      closers.push(() => browser.close());
      pages = openPages(browser, site.url);
      Object.assign(t, site, pages);
    }, START_TIMEOUT_MS);

    afterEach(async () => {
      // If the service did not start, that error is enough.
      if (pages === undefined) return;
      expect(await pages.closePages()).toEqual({ unexpected: [], missing: [] });
    });

    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    }, START_TIMEOUT_MS);

    define(t);
  });
}
