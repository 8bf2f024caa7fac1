import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocsSearchEntry, emailStatuses, suppressionReasons } from '@posthorn/contract';
import { simulatorEndings } from '@posthorn/domain/format';
import { escapeHtml } from '@posthorn/domain/templates';
import { listFields } from './field-table.js';
import { type Article, createInlineRenderer, DOCS, type Linker, parseArticle, type Section } from './markdown.js';
import { readTemplate, renderOperation } from './operation-page.js';
import { type ApiDocument, listOperations, type Operation } from './operations.js';
import { fillPlaceholders, type Values } from './placeholders.js';

const TITLE = 'Posthorn API';
const GUIDE = '/docs';
const render = readTemplate('page.html');

/** What docs/api/README.md links to: the files of the guide and its tables, and those with a page of their own. */
const contents = { guide: listFiles('Guide'), tables: listFiles('Tables'), switching: listFiles('Switching') };

function listFiles(group: string): string[] {
  const text = readFileSync(join(DOCS, 'README.md'), 'utf8');
  const [, links = ''] = text.split(`\n## ${group}\n`);
  return [...(links.split('\n## ')[0] ?? '').matchAll(/\((\S+)\.md\)/g)].map(([, name = '']) => name);
}

/** The path of the page with the operations of a tag: `API keys` -> `/docs/reference/api-keys` */
function toPagePath(tag: string): string {
  return `/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

function toArticlePath(file: string): string {
  return `/docs/guides/${file}`;
}

function toOperationUrl({ tag, id }: Operation): string {
  return `${toPagePath(tag)}#${id}`;
}

export function listPagePaths(tags: readonly string[]): string[] {
  return [GUIDE, ...contents.switching.map(toArticlePath), ...tags.map(toPagePath)];
}

export function renderPages(
  document: ApiDocument,
  values: Values,
): { readonly pages: ReadonlyMap<string, string>; readonly search: readonly DocsSearchEntry[] } {
  const operations = listOperations(document);
  const urls = new Map(operations.map((each) => [`${each.method} ${each.path}`, toOperationUrl(each)]));
  const linkTo: Linker = (code) => urls.get(code);
  const read = (file: string): Article =>
    parseArticle(
      fillPlaceholders(readFileSync(join(DOCS, `${file}.md`), 'utf8'), values, `docs/api/${file}.md`),
      linkTo,
    );
  const site = {
    document,
    operations,
    guide: contents.guide.flatMap((file) => read(file).sections),
    tables: contents.tables.flatMap((file) => read(file).sections),
    articles: contents.switching.map((file) => ({ path: toArticlePath(file), ...read(file) })),
  };
  requireRows(site);
  const toInline = createInlineRenderer(linkTo);
  const navigation = listNavigation(site);
  const pages: Page[] = [
    { path: GUIDE, title: TITLE, content: [...site.guide, ...site.tables].map(renderSection).join('\n') },
    ...site.articles.map(({ path, title, intro, sections }) => ({
      path,
      title,
      content: [intro, ...sections.map(renderSection)].join('\n'),
    })),
    ...document.tags.map(({ name, description }) => ({
      path: toPagePath(name),
      title: name,
      content: [
        `<p>${escapeHtml(description)}</p>`,
        ...operations
          .filter(({ tag }) => tag === name)
          .map((each) => renderOperation(each, { schemas: document.components.schemas, inline: toInline })),
      ].join('\n'),
    })),
  ];
  return { pages: new Map(pages.map((page) => [page.path, renderPage(page, navigation)])), search: listEntries(site) };
}

type Site = {
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
  readonly guide: readonly Section[];
  readonly tables: readonly Section[];
  readonly articles: ReadonlyArray<Article & { readonly path: string }>;
};

/** Fails if a table of the guide lacks one of the words that the code knows. */
function requireRows({ guide, tables }: Site): void {
  const required: Readonly<Record<string, readonly string[]>> = {
    states: emailStatuses,
    suppressions: suppressionReasons,
    'test-mode': simulatorEndings.map((ending) => `${ending}@`),
  };
  for (const [id, words] of Object.entries(required)) {
    const html = [...guide, ...tables].find((section) => section.id === id)?.html ?? '';
    for (const word of words)
      if (!html.includes(`<td><code>${word}</code></td>`)) throw new Error(`The table in #${id} lacks ${word}.`);
  }
}

function renderSection({ id, title, html }: Section): string {
  return `<section id="${id}" aria-labelledby="heading-${id}">
<h2 id="heading-${id}">${escapeHtml(title)}</h2>
${html}</section>`;
}

type Page = { readonly path: string; readonly title: string; readonly content: string };

type NavigationLink = { readonly title: string; readonly url: string; readonly inner?: readonly NavigationLink[] };

type Navigation = ReadonlyArray<{ readonly group: string; readonly links: readonly NavigationLink[] }>;

function listNavigation({ document, operations, guide, tables, articles }: Site): Navigation {
  const toLink = ({ id, title }: Section) => ({ title, url: `${GUIDE}#${id}` });
  const calls = document.tags.map(({ name }) => ({
    title: name,
    url: toPagePath(name),
    inner: operations
      .filter(({ tag }) => tag === name)
      .map((operation) => ({ title: operation.summary, url: toOperationUrl(operation) })),
  }));
  return [
    { group: 'Guide', links: guide.map(toLink) },
    { group: 'API reference', links: calls },
    { group: 'Tables', links: tables.map(toLink) },
    { group: 'Switching', links: articles.map(({ path, title }) => ({ title, url: path })) },
  ];
}

/** A whole page. Its scripts and styles come from this server, and its text can be read without them. */
function renderPage({ path, title, content }: Page, navigation: Navigation): string {
  const toView = (link: NavigationLink) => {
    const isCurrent = link.url === path;
    return { ...link, isCurrent, isOpen: isCurrent && link.inner !== undefined };
  };
  return render({
    fullTitle: title === TITLE ? title : `${title} - ${TITLE}`,
    navigation: navigation.map(({ group, links }) => ({ group, links: links.map(toView) })),
    title,
    content,
  });
}

const ROW = /<tr id="([^"]+)">(.*)<\/tr>/g;

/** What the search finds: every operation, section, and row that can be linked to. */
function listEntries({ document, operations, guide, tables, articles }: Site): DocsSearchEntry[] {
  const { schemas } = document.components;
  return [
    ...operations.map((operation) => {
      const { id, summary, method, path, parameters, body } = operation;
      const fields = body?.schema ? listFields(body.schema, schemas) : [];
      const words = [
        id,
        ...parameters.map(({ name }) => name),
        ...fields.flatMap((each) => [each.name, each.description]),
      ];
      const text = words.join(' ').replaceAll('`', '');
      return { title: summary, url: toOperationUrl(operation), kind: `${method} ${path}`, text };
    }),
    ...[...guide, ...tables].flatMap(({ id, title, html }) => [
      { title, url: `${GUIDE}#${id}`, kind: 'Guide', text: toText(html.replace(ROW, '')) },
      ...[...html.matchAll(ROW)].map(([, row = '', cells = '']) => {
        return { title: row, url: `${GUIDE}#${row}`, kind: title, text: toText(cells) };
      }),
    ]),
    ...articles.map(({ path, title, intro, sections }) => {
      const html = [intro, ...sections.map((section) => section.html)].join(' ');
      return { title, url: path, kind: 'Guide', text: toText(html) };
    }),
  ];
}

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function toText(html: string): string {
  return html
    .replace(/<div class="(code|samples)">[\s\S]*?<\/div>\n/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&([\w#]+);/g, (entity, name) => characters[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
