import { readMutatedReports } from '../read-mutated-reports.js';

/** `npm run test:reports` reads more of them. */
const REPORTS = 2_000;

test('reports that were changed at random are read without a crash, and never as being about somebody else', async () => {
  const seed = Date.now() % 1_000_000_000;
  const { read, failures } = await readMutatedReports({ seed, reports: REPORTS });
  expect({ seed, failures }).toEqual({ seed, failures: [] });
  // Otherwise, the changes would be too strong to say anything.
  expect(read).toBeGreaterThan(REPORTS / 4);
});
