import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Stack } from '../../../bench/support/stack.js';
import { readOperations } from '../../fuzz/read-operations.js';
import { printTable } from '../print-table.js';
import { startApi } from '../start-api.js';
import { type Cost, measureRequest, type RequestToMeasure } from './measure-request.js';
import { openCostTarget } from './open-cost-target.js';
import { type Candidate, requestsOf } from './requests-of.js';

/** How long one request may keep the event loop. */
const MAX_TURN_MS = 25;
/** The most expensive candidates of a route are measured again, because other programs disturb single measurements. */
const FINALISTS = 5;
const REPEATS = 4;
const RECORD_TURNS = join(import.meta.dirname, 'record-turns.mjs');

type Found = Cost & { readonly route: string } & Pick<Candidate, 'shape' | 'bytes'>;

/**
 * Searches each route for its most expensive request.
 * @param only the start of the routes to search, such as `GET /api/v1/emails`
 * @returns what is over the limit
 */
export async function searchCosts(stack: Stack, only: string): Promise<string[]> {
  const api = await startApi(stack, { TRUSTED_PROXY_HOPS: '1' }, ['--import', RECORD_TURNS]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const measure = (request: RequestToMeasure) => measureRequest(api, agent, request);
  try {
    const target = await openCostTarget(stack, api.url);
    const found: Found[] = [];
    const operations = await readOperations(api.url);
    for (const operation of operations.filter(({ method, path }) => `${method} ${path}`.startsWith(only))) {
      const { shape, bytes, cost } = await mostExpensive(requestsOf(operation, target), measure);
      found.push({ route: `${operation.method} ${operation.path}`, shape, bytes, ...cost });
    }
    show(found);
    return found.filter(({ longestTurn }) => longestTurn > MAX_TURN_MS).map(toMiss);
  } finally {
    agent.destroy();
    await api.stop();
  }
}

type Measured = Candidate & { readonly cost: Cost };

async function mostExpensive(
  candidates: readonly Candidate[],
  measure: (request: RequestToMeasure) => Promise<Cost>,
): Promise<Measured> {
  const measured: Measured[] = [];
  for (const candidate of candidates) measured.push({ ...candidate, cost: await measure(candidate.request) });
  const by = (order: (cost: Cost) => number) =>
    [...measured].sort((a, b) => order(b.cost) - order(a.cost)).slice(0, FINALISTS);
  const finalists = new Set([...by(({ cpu }) => cpu), ...by(({ longestTurn }) => longestTurn)]);
  const repeated: Measured[] = [];
  for (const finalist of finalists) {
    const costs: Cost[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) costs.push(await measure(finalist.request));
    repeated.push({ ...finalist, cost: cheapest(costs) });
  }
  return repeated.sort((a, b) => b.cost.longestTurn - a.cost.longestTurn)[0] as Measured;
}

function cheapest(costs: readonly Cost[]): Cost {
  return [...costs].sort((a, b) => a.longestTurn - b.longestTurn)[0] as Cost;
}

function show(found: readonly Found[]): void {
  printTable(
    [...found]
      .sort((a, b) => b.longestTurn - a.longestTurn)
      .map(({ route, longestTurn, cpu, status, bytes, shape }) => ({
        route,
        'longest turn ms': longestTurn.toFixed(1),
        'CPU ms': cpu.toFixed(1),
        status,
        bytes,
        shape,
      })),
  );
}

function toMiss({ route, shape, bytes, longestTurn }: Found): string {
  return `${route} (${shape}, ${bytes} bytes) kept the event loop for ${longestTurn.toFixed(1)} ms; the limit is ${MAX_TURN_MS}`;
}
