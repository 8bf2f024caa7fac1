import { escapeHtml } from '@posthorn/domain';
import type { Block, Row, Section } from './section.js';

/** A whole page. It has no scripts, and its only style sheet is /docs/style.css. */
export function toHtml(title: string, sections: readonly Section[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><h1>${escapeHtml(title)}</h1></header>
<nav aria-label="Sections"><ul>
${sections.map(({ id, title: text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('\n')}
</ul></nav>
<main id="main">
${sections.map(sectionToHtml).join('\n')}
</main>
</body>
</html>
`;
}

function sectionToHtml({ id, title, blocks }: Section): string {
  const heading = `heading-${id}`;
  return `<section id="${id}" aria-labelledby="${heading}">
<h2 id="${heading}">${escapeHtml(title)}</h2>
${blocks.map((block) => blockToHtml(block, heading)).join('\n')}
</section>`;
}

function blockToHtml(block: Block, heading: string): string {
  if ('paragraph' in block) return `<p>${inline(block.paragraph)}</p>`;
  if ('list' in block) return `<ul>\n${block.list.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`;
  if ('code' in block) return `<pre tabindex="0"><code>${escapeHtml(block.code)}</code></pre>`;
  // A table that is wider than the screen scrolls on its own; tabindex lets the keyboard scroll it.
  return `<div class="table" role="region" aria-labelledby="${heading}" tabindex="0"><table>
<thead><tr>${block.head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')}</tr></thead>
<tbody>
${block.rows.map(rowToHtml).join('\n')}
</tbody>
</table></div>`;
}

function rowToHtml({ id, cells }: Row): string {
  const anchor = id === undefined ? '' : ` id="${id}"`;
  return `<tr${anchor}>${cells.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`;
}

function inline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>');
}
