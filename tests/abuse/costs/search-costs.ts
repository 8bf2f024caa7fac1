import { Agent } from 'node:http';
import type { Stack } from '../../../bench/support/stack.js';
import { table } from '../../../bench/support/table.js';
import { readDocument, readOperations } from '../../fuzz/read-operations.js';
import { RECORD_BLOCKING, startApi } from '../start-api.js';
import { type Candidate, candidateRequests } from './candidate-requests.js';
import { createTestData } from './create-test-data.js';
import { type Cost, measureRequest, type RequestToMeasure } from './measure-request.js';

/** How long one request may keep the event loop busy. */
const MAX_BLOCK_MS = 25;
/** The same for bodies of more than 2 MB, of which a workspace can send a few per minute. */
const MAX_BLOCK_OF_LARGE_MS = 75;
const LARGE_BYTES = 2_000_000;
/**
 * The most expensive candidates of a route are measured again, because other programs can skew a single measurement.
 */
const FINALISTS = 5;
const REPEATS = 4;

type Found = Cost & { readonly route: string } & Pick<Candidate, 'shape' | 'bytes'>;

/**
 * Searches each route for its most expensive request.
 * @param only a prefix of the routes to search, such as `GET /api/v1/emails`
 * @returns the failures
 */
export async function searchCosts(stack: Stack, only: string): Promise<string[]> {
  const api = await startApi(stack, { TRUSTED_PROXY_HOPS: '1' }, RECORD_BLOCKING);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const failures = new Set<string>();
  const measure = async (request: RequestToMeasure) => {
    const cost = await measureRequest(api, agent, request);
    if (cost.status >= 500) failures.add(`${request.method} ${request.path} answered ${cost.status}`);
    return cost;
  };
  try {
    const data = await createTestData(stack, api.url);
    const found: Found[] = [];
    const operations = readOperations(await readDocument(api.url)).filter(({ method, path }) =>
      `${method} ${path}`.startsWith(only),
    );
    for (const [index, operation] of operations.entries()) {
      const route = `${operation.method} ${operation.path}`;
      process.stderr.write(`${index + 1} of ${operations.length}: ${route}\n`);
      const { shape, bytes, cost } = await mostExpensive(candidateRequests(operation, data), measure);
      found.push({ route, shape, bytes, ...cost });
    }
    show(found);
    return [...failures, ...found.filter((each) => each.longestBlock > getLimit(each)).map(describeFailure)];
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
  const finalists = new Set([...by(({ cpu }) => cpu), ...by(({ longestBlock }) => longestBlock)]);
  const repeated: Measured[] = [];
  for (const finalist of finalists) {
    const costs: Cost[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) costs.push(await measure(finalist.request));
    repeated.push({ ...finalist, cost: cheapest(costs) });
  }
  return repeated.sort((a, b) => b.cost.longestBlock - a.cost.longestBlock)[0] as Measured;
}

function cheapest(costs: readonly Cost[]): Cost {
  return [...costs].sort((a, b) => a.longestBlock - b.longestBlock)[0] as Cost;
}

function show(found: readonly Found[]): void {
  const rows = [...found]
    .sort((a, b) => b.longestBlock - a.longestBlock)
    .map(({ route, longestBlock, cpu, status, bytes, shape }) => ({
      route,
      'longest block ms': longestBlock.toFixed(1),
      'CPU ms': cpu.toFixed(1),
      status,
      bytes,
      shape,
    }));
  process.stdout.write(`${table(rows)}\n\n`);
}

function getLimit({ bytes }: Found): number {
  return bytes > LARGE_BYTES ? MAX_BLOCK_OF_LARGE_MS : MAX_BLOCK_MS;
}

function describeFailure(found: Found): string {
  const { route, shape, bytes, longestBlock } = found;
  return `${route} (${shape}, ${bytes} bytes) kept the event loop busy for ${longestBlock.toFixed(1)} ms; the limit is ${getLimit(found)}`;
}
