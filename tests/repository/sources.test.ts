import { statSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, ROOT, read } from './files.js';

describe('the sources', () => {
  const sources = ['apps', 'packages', 'tests', 'bench']
    .flatMap(filesIn)
    .filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));

  /** These skip tests if the machine lacks a browser or a language. The test report shows them as skipped. */
  const maySkip = ['apps/api/test/docs/describe-with-runtime.ts', 'tests/browser/describe-in-browser.ts'];

  test('contain no TO-DO comments and skip no tests', () => {
    const marks = /\b(TO[D]O|FI[X]ME)\b|\b(test|it|describe)\.(only|skip|todo)\(/;
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((path) => marks.test(read(path)))).toEqual(maySkip);
  });

  test('name only existing files in comments', () => {
    const paths = filesIn('.').map((path) => `/${path}`);
    const missing = sources.flatMap((source) =>
      [...read(source).matchAll(/^ *(?:\/\/|\/?\*).*$/gm)]
        .flatMap(([comment]) => comment.match(/(?<![\w./*:-])[\w-][\w./-]*\.(?:tsx?|mjs|md)\b/g) ?? [])
        .filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))
        .map((name) => `${source}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

test('nothing that runs in Node uses URL.canParse, which Node 20 and 22 get wrong', () => {
  const inNode = ['apps', 'packages'].flatMap(filesIn).filter((path) => /\.ts$/.test(path));
  // Browsers are not affected.
  expect(inNode.filter((path) => /\bURL\.canParse\(/.test(read(path)))).toEqual(['apps/dashboard/src/ui/search.ts']);
});

test('every log line about an email names the request and the trace that it comes from', () => {
  const logging = ['apps/worker/src', 'packages/message/src'].flatMap(filesIn);
  const onlyWithId = logging.filter((path) => /\blog\b.*\bemailId\b/.test(read(path)));
  // The claim failed, so all that the worker knows is the id.
  expect(onlyWithId).toEqual(['apps/worker/src/claiming/job-consumer.ts']);
});

test('.ci/run is executable, and the workflow runs it', () => {
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).toBe(0o111);
  expect(read('.github/workflows/ci.yml')).toContain('run: .ci/run');
});

test('the functions that bench:accept wraps are exported by the files that it names', () => {
  const wrapped = [...read('bench/support/record-waits.mjs').matchAll(/'(accepting\/.+)\.js':\s+"export const (\w+)/g)];
  expect(wrapped.length).toBeGreaterThan(0);
  for (const [, file, name] of wrapped) {
    expect(read(`packages/domain/src/${file}.ts`)).toContain(`function ${name}(`);
  }
});
