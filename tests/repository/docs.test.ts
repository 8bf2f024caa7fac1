import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { filesIn, ROOT, read } from './files.js';

const documents = [...filesIn('.').filter((path) => !path.includes('/')), ...filesIn('docs'), 'bench/README.md'].filter(
  (path) => path.endsWith('.md'),
);

describe('docs/', () => {
  test('contains only files that docs/README.md or docs/api/README.md links to', () => {
    const linked = ['docs/README.md', 'docs/api/README.md'].flatMap(listLinks).map(({ path }) => path);
    for (const path of filesIn('docs')) expect([...linked, 'docs/README.md']).toContain(path);
  });

  test.each(documents)('%s has no broken links', (document) => {
    for (const { path, anchor } of listLinks(document)) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      if (anchor !== undefined) expect(listAnchors(path)).toContain(anchor);
    }
  });

  test.each(documents)('%s mentions only existing files', (document) => {
    const named = [...read(document).matchAll(/`((?:apps|packages|docs|tests|\.ci)\/[\w./-]+)`/g)];
    for (const [, path = ''] of named) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });

  test.each(documents)('%s says in which file a function is only if it is there', (document) => {
    const placed = [...read(document).matchAll(/`(\w+)` in `((?:apps|packages|tests)\/[\w./-]+\.tsx?)`/g)];
    for (const [, name = '', path = ''] of placed) expect(read(path).split(/\W+/)).toContain(name);
  });
});

describe('figures from benchmarks', () => {
  const results = filesIn('bench/documented').map((path) => [path, read(path)] as const);

  test.each(results)('%s has only results from a clean commit', (_, result) => {
    for (const { commit } of Object.values<{ commit: string }>(JSON.parse(result)))
      expect(commit).toMatch(/^[0-9a-f]{7,}$/);
  });

  test('docs/performance.md takes every median and range from a stored result', () => {
    // A unit may stand between the two: "2,049 a second (1,724-2,197)".
    const figures = [...read('docs/performance.md').matchAll(/([\d,.]+)(?: a second| ms)? (\([\d,.]+-[\d,.]+\))/g)];
    expect(figures.length).toBeGreaterThan(0);
    for (const [, value, range] of figures) expect(results.join()).toContain(`"${value} ${range}"`);
  });
});

type Link = { readonly path: string; readonly anchor: string | undefined };

/** Links from a document to files of this repository. `path` is relative to the root. */
function listLinks(document: string): Link[] {
  return [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { path: path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path)), anchor };
    });
}

/** The anchors of a document: its headings and its `<a id>` tags. */
function listAnchors(document: string): string[] {
  const text = withoutCode(read(document));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '');
}
