import { type Servers, startServers } from './faults/rig/servers.js';
import { play } from './faults/scenario.js';
import { scenarios } from './faults/scenarios/index.js';

/** A short form of `npm run test:faults`, always with the same seed. */
const SHORT = ['F1', 'F4', 'F5', 'F9', 'F11', 'F16', 'F22', 'F23', 'F25', 'F29', 'F30'];
const SEED = 42;
const SCALE = 0.1;

let servers: Servers;

beforeAll(async () => {
  servers = await startServers();
}, 180_000);

afterAll(() => servers.close());

describe('no mail is lost, doubled unmarked, or sent over a cap', () => {
  const chosen = scenarios.filter(({ id }) => SHORT.includes(id));

  test('the short form finds its scenarios', () => {
    expect(chosen.map(({ id }) => id).sort()).toEqual([...SHORT].sort());
  });

  test.each(chosen.map((scenario) => [`${scenario.id} ${scenario.fault}`, scenario] as const))(
    '%s',
    async (_title, scenario) => {
      const { violations, accepted } = await play(servers, scenario, { seed: SEED, scale: SCALE });
      expect(violations).toEqual([]);
      expect(accepted).toBeGreaterThan(0);
    },
    240_000,
  );
});
