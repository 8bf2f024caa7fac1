import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '../../src/app.js';
import { docsFiles } from '../../src/docs/files.js';

test.each(Object.entries(docsFiles(routes)))('docs/%s is what "npm run docs" writes', (name, text) => {
  expect(readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')).toBe(text);
});
