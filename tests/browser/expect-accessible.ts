import axe, { type AxeResults, type Result } from 'axe-core';
import type { Page } from 'playwright-core';

const OPTIONS = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] },
  resultTypes: ['violations'],
  // What a frame shows is a customer's mail, which is not ours to judge.
  iframes: false,
};

/**
 * Holds a page, as it stands, against WCAG 2.2 A and AA as far as axe can judge it.
 * @throws Error that lists what keeps people out: the rule, what helps, and where
 */
export async function expectAccessible(page: Page): Promise<void> {
  // The inspector's way in, for which no content security policy holds.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source);
  const { violations, passes } = (await page.evaluate(`axe.run(document, ${JSON.stringify(OPTIONS)})`)) as AxeResults;
  if (passes.length === 0) throw new Error(`axe found nothing to judge at ${page.url()}.`);
  const barriers = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  if (barriers.length > 0) throw new Error(`${page.url()} has barriers:\n\n${barriers.map(toText).join('\n\n')}`);
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
