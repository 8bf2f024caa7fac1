import { getIdTime, newId } from '../../src/values/ids.js';

test('ids are different, are version 7, and sort in the order in which they were created', () => {
  const before = Date.now();
  const ids = Array.from({ length: 5_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  for (const id of ids) expect(getIdTime(id)).toBeGreaterThanOrEqual(before);
  expect(getIdTime(ids.at(-1) ?? '')).toBeLessThanOrEqual(Date.now());
});
