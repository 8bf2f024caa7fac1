import type { Route } from '../route.js';
import { guide } from './guide.js';
import { limitSection, planSection, reference } from './reference.js';
import { toMarkdown } from './to-markdown.js';

const NOTE = 'Written by "npm run docs" from apps/api/src/docs and packages/domain/src/limits.ts: change those.';

const EXAMPLE_URL = 'https://mail.example.com';

/** The parts of docs/ that are made from the code, by file name. */
export function docsFiles(routes: readonly Route[]): Record<string, string> {
  return {
    'api.md': toMarkdown('The Posthorn API', NOTE, [...guide(EXAMPLE_URL), ...reference(routes, EXAMPLE_URL)]),
    'limits.md': toMarkdown('Limits and plans', NOTE, [limitSection, planSection]),
  };
}
