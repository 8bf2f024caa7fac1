import { codeSample, webhookVerification } from '@posthorn/code-samples';
import type { Article, Block, Row, Section } from './section.js';

/** @param note says where the file comes from and what to edit instead */
export function toMarkdown(title: string, note: string, sections: readonly Section[]): string {
  return join([`# ${title}`, `<!-- ${note} -->`, ...sections.map(sectionToMarkdown)]);
}

/** @param guide the file that the links in the article lead to */
export function articleToMarkdown({ title, intro, sections }: Article, note: string, guide: string): string {
  const text = join([`# ${title}`, `<!-- ${note} -->`, intro, ...sections.map(sectionToMarkdown)]);
  return text.replaceAll('](#', `](${guide}#`);
}

function join(parts: readonly string[]): string {
  return parts.join('\n\n').concat('\n');
}

function sectionToMarkdown({ id, title, blocks }: Section): string {
  return [`<a id="${id}"></a>`, `## ${title}`, ...blocks.map(blockToMarkdown)].join('\n\n');
}

function blockToMarkdown(block: Block): string {
  if ('paragraph' in block) return block.paragraph;
  if ('list' in block) return block.list.map((item) => `- ${item}`).join('\n');
  if ('request' in block) return `\`\`\`sh\n${codeSample('curl', block.request)}\n\`\`\``;
  if ('sample' in block) return `\`\`\`js\n${webhookVerification('node')}\n\`\`\``;
  if ('code' in block) return `\`\`\`${block.language}\n${block.code}\n\`\`\``;
  const rule = block.head.map(() => '---');
  return [line(block.head), line(rule), ...block.rows.map(rowToMarkdown)].join('\n');
}

function rowToMarkdown({ id, cells }: Row): string {
  const [first = '', ...rest] = cells;
  return line([id === undefined ? first : `<a id="${id}"></a>${first}`, ...rest]);
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
