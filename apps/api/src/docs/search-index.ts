import type { DocsSearchEntry } from '@posthorn/contract';
import { fieldsOf } from './fields.js';
import { type Operation, readOperations } from './operations.js';
import { articlePath, type DocsContent, operationUrl } from './pages/docs-pages.js';
import type { Article, Block, Section } from './section.js';

/** What the search field of the documentation finds: every operation, section, and row that can be linked to. */
export function searchIndex({ document, guide, reference, articles }: DocsContent): DocsSearchEntry[] {
  const toEntry = (operation: Operation): DocsSearchEntry => ({
    title: operation.summary,
    url: operationUrl(operation),
    kind: `${operation.method} ${operation.path}`,
    text: wordsOf(operation, document.components.schemas),
  });
  return [
    ...readOperations(document).map(toEntry),
    ...[...guide, ...reference].flatMap(sectionEntries),
    ...articles.map(articleEntry),
  ];
}

function wordsOf({ id, parameters, body }: Operation, schemas: Parameters<typeof fieldsOf>[1]): string {
  const fields = body?.schema ? fieldsOf(body.schema, schemas) : [];
  return [id, ...parameters.map(({ name }) => name), ...fields.flatMap(({ name, description }) => [name, description])]
    .join(' ')
    .replaceAll('`', '');
}

function sectionEntries({ id, title, blocks }: Section): DocsSearchEntry[] {
  const rows = blocks.flatMap((block) => ('rows' in block ? block.rows : []));
  const linked = rows.flatMap((row): DocsSearchEntry[] =>
    row.id === undefined
      ? []
      : [{ title: row.id, url: `/docs#${row.id}`, kind: title, text: plain(row.cells.slice(1).join(' ')) }],
  );
  return [{ title, url: `/docs#${id}`, kind: 'Guide', text: plain(blocks.map(textOf).join(' ')) }, ...linked];
}

function articleEntry({ name, title, intro, sections }: Article): DocsSearchEntry {
  const text = sections.flatMap(({ blocks }) => blocks.map(textOf)).join(' ');
  return { title, url: articlePath(name), kind: 'Guide', text: plain(`${intro} ${text}`) };
}

/** The text of a block; rows that have entries of their own are left out. */
function textOf(block: Block): string {
  if ('paragraph' in block) return block.paragraph;
  if ('list' in block) return block.list.join(' ');
  if ('rows' in block) return block.rows.flatMap(({ id, cells }) => (id === undefined ? cells : [])).join(' ');
  return '';
}

function plain(text: string): string {
  return text.replaceAll('`', '').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
