import type { Config } from '@posthorn/domain';
import { launchBrowser } from './launch-browser.js';
import { openPages, type Pages } from './open-pages.js';
import { prepared } from './prepared.js';
import { type Site, startSite } from './start-site.js';

const TEST_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 180_000;

/** What a test in the browser has at hand; it is filled in before the first of them. */
export type InBrowser = Site & Omit<Pages, 'closePages'>;

/**
 * Tests that look at the running service through a real browser: one service and one browser for all
 * of them, fresh pages for each. A test fails when its pages commit a fault that it does not expect.
 * Where the machine has no browser they are skipped.
 * @param config settings of the service that these tests need
 */
export function describeInBrowser(title: string, define: (t: InBrowser) => void, config: Partial<Config> = {}): void {
  const { program, failure } = prepared();
  if (program === null) {
    // biome-ignore lint/suspicious/noSkippedTests: without a browser there is nothing to test with, and the report shows it
    describe.skip(`${title} (no browser on this machine)`, () => define({} as InBrowser));
    return;
  }
  jest.setTimeout(TEST_TIMEOUT_MS);
  describe(title, () => {
    const t = {} as InBrowser;
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
      // The start has failed, which says enough.
      if (pages === undefined) return;
      expect(await pages.closePages()).toEqual({ unexpected: [], missing: [] });
    });

    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    }, START_TIMEOUT_MS);

    define(t);
  });
}
