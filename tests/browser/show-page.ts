import type { Page } from 'playwright-core';

/** Opens a page of the dashboard and waits until it has loaded. @throws Error if it shows an error instead */
export async function showPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilLoaded(page);
  if (await page.getByText(/^(Page not found|Reload page|Try again)$/).count())
    throw new Error(`${path} shows an error: ${await page.textContent('body')}`);
}

/** Waits until the page shows no more loading placeholders. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}
