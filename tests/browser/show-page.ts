import type { Page } from 'playwright-core';

/** Goes to a page of the dashboard and waits until all of it has come. @throws Error when it shows something else */
export async function showPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilWhole(page);
  if (await page.getByText(/^(Page not found|Reload page|Try again)$/).count())
    throw new Error(`${path} shows something else than its page: ${await page.textContent('body')}`);
}

/** Waits until nothing is a placeholder for what is still to come. */
export async function untilWhole(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}
