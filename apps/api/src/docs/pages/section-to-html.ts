import { codeSample, verificationLanguageNames, webhookVerification } from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import type { Block, Row, Section } from '../section.js';
import { codeBlock } from './code-block.js';
import { codeSamples } from './code-samples.js';
import { inline, type Linker } from './inline.js';

export function sectionToHtml({ id, title, blocks }: Section, linkTo: Linker): string {
  const heading = `heading-${id}`;
  const content = blocks.map((block) => blockToHtml(block, { heading, linkTo, group: id }));
  return `<section id="${id}" aria-labelledby="${heading}">
<h2 id="${heading}">${escapeHtml(title)}</h2>
${content.join('\n')}
</section>`;
}

type Place = { readonly heading: string; readonly linkTo: Linker; readonly group: string };

function blockToHtml(block: Block, { heading, linkTo, group }: Place): string {
  if ('paragraph' in block) return `<p>${inline(block.paragraph, linkTo)}</p>`;
  if ('list' in block) return `<ul>\n${block.list.map((item) => `<li>${inline(item, linkTo)}</li>`).join('\n')}\n</ul>`;
  if ('request' in block) return codeSamples({ codeIn: (language) => codeSample(language, block.request) }, group);
  if ('sample' in block) return codeSamples({ codeIn: webhookVerification, names: verificationLanguageNames }, group);
  if ('code' in block) return codeBlock(block.code);
  // A table that is wider than the screen scrolls on its own; tabindex lets the keyboard scroll it.
  return `<div class="table" role="region" aria-labelledby="${heading}" tabindex="0"><table>
<thead><tr>${block.head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')}</tr></thead>
<tbody>
${block.rows.map((row) => rowToHtml(row, linkTo)).join('\n')}
</tbody>
</table></div>`;
}

function rowToHtml({ id, cells }: Row, linkTo: Linker): string {
  const anchor = id === undefined ? '' : ` id="${id}"`;
  return `<tr${anchor}>${cells.map((cell) => `<td>${inline(cell, linkTo)}</td>`).join('')}</tr>`;
}
