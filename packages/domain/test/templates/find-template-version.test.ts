import { createTemplateCache } from '../../src/templates/find-template-version.js';
import type { TemplateVersion } from '../../src/templates/template.js';

const version = (id: string, number = 1): TemplateVersion => ({
  id,
  version: number,
  variables: [],
  subject: [],
  html: [],
  text: [],
});

describe('createTemplateCache', () => {
  test('distinguishes workspaces and versions', () => {
    const cache = createTemplateCache();
    cache.put('w1', version('a', 1), 10);
    cache.put('w1', version('a', 2), 10);
    expect(cache.get('w1', 'a', 1)).toEqual(version('a', 1));
    expect(cache.get('w1', 'a', 2)).toEqual(version('a', 2));
    expect(cache.get('w1', 'a', 3)).toBeUndefined();
    expect(cache.get('w2', 'a', 1)).toBeUndefined();
  });

  test('drops the least recently used version when there are too many', () => {
    const cache = createTemplateCache({ maxEntries: 2 });
    cache.put('w', version('a'), 1);
    cache.put('w', version('b'), 1);
    cache.get('w', 'a', 1);
    cache.put('w', version('c'), 1);
    expect(['a', 'b', 'c'].map((id) => cache.get('w', id, 1) !== undefined)).toEqual([true, false, true]);
  });

  test('drops as many versions as needed to stay within its byte limit, even if one was added twice', () => {
    const cache = createTemplateCache({ maxBytes: 100 });
    cache.put('w', version('a'), 40);
    cache.put('w', version('a'), 40);
    cache.put('w', version('b'), 60);
    expect(['a', 'b'].map((id) => cache.get('w', id, 1) !== undefined)).toEqual([true, true]);
    cache.put('w', version('c'), 90);
    expect(['a', 'b', 'c'].map((id) => cache.get('w', id, 1) !== undefined)).toEqual([false, false, true]);
    cache.put('w', version('d'), 101);
    expect(['c', 'd'].map((id) => cache.get('w', id, 1) !== undefined)).toEqual([false, false]);
  });
});
