import { filesIn, read } from './files.js';

const sources = ['apps', 'packages']
  .flatMap(filesIn)
  .filter((path) => /\/src\/.*\.ts$/.test(path))
  .map(read);

/** The calls of `log.warn`, `log.error` and `log[level]`, with their arguments. */
const calls = sources.flatMap((text) =>
  [...text.matchAll(/\blog(?:\.(?:warn|error)|\[\w+\])\(/g)].map(({ index, 0: { length } }) =>
    argumentsFrom(text, index + length),
  ),
);

/** @returns the text up to the parenthesis that closes the call */
function argumentsFrom(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) depth += { '(': 1, ')': -1 }[text[end] ?? ''] ?? 0;
  return text.slice(start, end - 1);
}

const logged = new Set(
  calls.flatMap((call) => [...call.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name = '']) => name)),
);
const [, section = ''] = /^## Logs$([\s\S]*?)^## /m.exec(read('docs/operating/watching.md')) ?? [];
const listed = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.replace(/ with the reason .*/, '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
);

test('docs/operating/watching.md explains every warning and error in the logs', () => {
  expect(logged.size).toBeGreaterThan(50);
  expect([...logged].filter((event) => !listed.includes(event))).toEqual([]);
});

test('docs/operating/watching.md lists only events that the code writes, each once', () => {
  const text = sources.join('\n');
  // `workspace_${kind}`
  const composed = ['workspace_warned', 'workspace_paused'];
  expect(listed.filter((event) => !composed.includes(event) && !text.includes(`'${event}'`))).toEqual([]);
  expect(listed.filter((event, index) => listed.indexOf(event) !== index)).toEqual([]);
});
