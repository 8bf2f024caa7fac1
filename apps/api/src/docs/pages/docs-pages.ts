import { type ApiDocument, type Operation, readOperations } from '../operations.js';
import type { Article, Section } from '../section.js';
import { inline, type Linker } from './inline.js';
import { layout, type NavigationGroup, type Page } from './layout.js';
import { operationToHtml } from './operation-to-html.js';
import { sectionToHtml } from './section-to-html.js';

export type DocsContent = {
  readonly document: ApiDocument;
  readonly guide: readonly Section[];
  readonly reference: readonly Section[];
  readonly articles: readonly Article[];
  /** Without a trailing slash. */
  readonly baseUrl: string;
};

/** The name of a tag in the path of its page: `API keys` -> `api-keys` */
export function pageName(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

export function operationUrl({ tag, id }: Pick<Operation, 'tag' | 'id'>): string {
  return `${pagePath(tag)}#${id}`;
}

export function articlePath(name: string): string {
  return `/docs/guides/${name}`;
}

function pagePath(tag: string): string {
  return `/docs/reference/${pageName(tag)}`;
}

/** Every page by its path: the guide with the tables, and one page for the operations of each tag. */
export function docsPages(content: DocsContent): Map<string, string> {
  const operations = readOperations(content.document);
  const navigation = navigationOf(content, operations);
  const linkTo = linker(operations);
  const pages = [
    guidePage(content, linkTo),
    ...content.articles.map((article) => articlePage(article, linkTo)),
    ...tagPages(content, operations, linkTo),
  ];
  return new Map(pages.map((page) => [page.path, layout(page, navigation)]));
}

function guidePage({ guide, reference }: DocsContent, linkTo: Linker): Page {
  const sections = [...guide, ...reference].map((section) => sectionToHtml(section, linkTo));
  return { path: '/docs', title: 'Posthorn API', content: sections.join('\n') };
}

function articlePage({ name, title, intro, sections }: Article, linkTo: Linker): Page {
  const content = [`<p>${inline(intro, linkTo)}</p>`, ...sections.map((section) => sectionToHtml(section, linkTo))];
  // The sections that an article links to are those of the guide.
  return { path: articlePath(name), title, content: content.join('\n').replaceAll('href="#', 'href="/docs#') };
}

function tagPages({ document, baseUrl }: DocsContent, operations: readonly Operation[], linkTo: Linker): Page[] {
  const context = { baseUrl, schemas: document.components.schemas, linkTo };
  return document.tags.map(({ name, description }) => ({
    path: pagePath(name),
    title: name,
    content: [
      `<p>${inline(description)}</p>`,
      ...operations.filter(({ tag }) => tag === name).map((operation) => operationToHtml(operation, context)),
    ].join('\n'),
  }));
}

function navigationOf(
  { document, guide, reference, articles }: DocsContent,
  operations: readonly Operation[],
): NavigationGroup[] {
  const toLink = ({ id, title }: Section) => ({ title, url: `/docs#${id}` });
  const calls = document.tags.map(({ name }) => ({
    title: name,
    url: pagePath(name),
    inner: operations
      .filter(({ tag }) => tag === name)
      .map((operation) => ({ title: operation.summary, url: operationUrl(operation) })),
  }));
  return [
    { title: 'Guide', links: guide.map(toLink) },
    { title: 'API reference', links: calls },
    { title: 'Tables', links: reference.map(toLink) },
    { title: 'Switching', links: articles.map(({ name, title }) => ({ title, url: articlePath(name) })) },
  ];
}

function linker(operations: readonly Operation[]): Linker {
  const urls = new Map(operations.map((each) => [`${each.method} ${each.path}`, operationUrl(each)]));
  return (code) => urls.get(code);
}
