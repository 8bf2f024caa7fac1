import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';

describeInBrowser('the guide at /docs', (t) => {
  test.each(['light', 'dark'] as const)('passes the accessibility checks in %s mode', async (colorScheme) => {
    const page = await t.newPage({ colorScheme });
    await page.goto('/docs');
    await expectAccessible(page);
  });

  test('fits a narrow screen', async () => {
    const page = await t.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto('/docs');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });

  test('lets keyboard users skip to the text', async () => {
    const page = await t.newPage();
    await page.goto('/docs');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash === '#main');
  });
});
