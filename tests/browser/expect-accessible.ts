import { readFileSync } from 'node:fs';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

/** Minified, because every page has to compile it. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const OPTIONS = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] },
  resultTypes: ['violations'],
  // Frames show a customer's email, whose accessibility is up to the customer.
  iframes: false,
  // By default, axe also loads all style sheets, for a rule that is not among these.
  preload: { assets: ['media'] },
};

type Report = { readonly violations: readonly Result[]; readonly passed: number };

/**
 * Checks the current state of a page against WCAG 2.2 A and AA, as far as axe can check this.
 * @throws Error that lists each violated rule, where it is violated, and how to fix that
 */
export async function expectAccessible(page: Page): Promise<void> {
  // `evaluate` uses the inspector protocol, to which the content security policy does not apply.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE);
  const { violations, passed } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(OPTIONS)})
      .then(({ violations, passes }) => ({ violations, passed: passes.length }))`,
  )) as Report;
  if (passed === 0) throw new Error(`axe found nothing to check at ${page.url()}.`);
  const barriers = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  if (barriers.length > 0) throw new Error(`${page.url()} is not accessible:\n\n${barriers.map(toText).join('\n\n')}`);
}

function toText({ id, impact, help, helpUrl, nodes }: Result): string {
  const places = nodes.map(
    ({ target, failureSummary = '' }) => `  at ${target.join(' ')}\n${indented(failureSummary)}`,
  );
  return [`${id} (${impact}): ${help}`, `  ${helpUrl}`, ...places].join('\n');
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
