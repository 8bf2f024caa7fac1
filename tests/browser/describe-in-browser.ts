import { closeAtRunEnd, countOpening, expectNoHeldConnections, keepOpen } from '@posthorn/testing';
import { connectBrowser, readPreparation } from './launch-browser.js';
import { openPages, type Pages } from './open-pages.js';
import { type Stack, startStack } from './start-stack.js';

const START_TIMEOUT_MS = 180_000;

/** What browser tests can use. It is filled in before the first test. */
export type BrowserTestContext = Stack & Omit<Pages, 'closePages'>;

type Shared = { readonly stack: Stack; readonly pages: Pages };

let shared: Promise<Shared> | undefined;

/**
 * Describes tests that use the running service through a real browser. All files share the browser, and those of a
 * Jest worker share one stack, where each test creates its own tenants. Each test gets new pages, and fails if its pages have
 * unexpected faults. Without a browser, the tests are skipped.
 */
export function describeInBrowser(title: string, define: (t: BrowserTestContext) => void): void {
  const { endpoint, failure } = readPreparation();
  if (endpoint === null && failure === undefined) {
    // biome-ignore lint/suspicious/noSkippedTests: the tests need a browser, and the test report shows that they were skipped
    describe.skip(`${title} (no browser on this machine)`, () => define({} as BrowserTestContext));
    return;
  }
  describe(title, () => {
    const t = {} as BrowserTestContext;
    let opened: Shared | undefined;
    let deliveryWorker: ReturnType<Stack['startWorker']> | undefined;

    beforeAll(async () => {
      if (endpoint === null) throw new Error(failure);
      shared ??= countOpening(() => keepOpen(() => openShared(endpoint)));
      opened = await shared;
      deliveryWorker = opened.stack.startWorker();
      Object.assign(t, opened.stack, opened.pages);
    }, START_TIMEOUT_MS);

    afterEach(async () => {
      // If the service did not start, that error is enough.
      if (opened === undefined) return;
      expect(await opened.pages.closePages()).toEqual({ unexpected: [], missing: [] });
    });

    afterAll(async () => {
      await deliveryWorker?.stop();
      if (opened !== undefined) await expectNoHeldConnections(opened.stack.ctx);
    });

    define(t);
  });
}

async function openShared(endpoint: string): Promise<Shared> {
  const stack = await startStack();
  closeAtRunEnd(stack.close);
  const browser = await connectBrowser(endpoint);
  closeAtRunEnd(() => browser.close());
  return { stack, pages: openPages(browser, stack.url) };
}
