import type { Context } from '@posthorn/platform';
import { type ApiDocument, parseApiDocument, readResidentMb } from '@posthorn/testing';
import fc from 'fast-check';
import { startProcess } from '../processes.js';
import { openAcceptedCounts } from './accepted-counts.js';
import { checkResponse } from './check-response.js';
import { openSender, type SendResult, toCurl } from './open-sender.js';
import { openTenants } from './open-tenants.js';
import { readDocument, readOperations } from './read-operations.js';
import { type FuzzRequest, requestsTo } from './requests.js';

const BATCH = 500;
const CONCURRENCY = 16;
/** Low enough to catch a leak. Memory that the process would free when idle still counts. */
const MAX_MEMORY_MB = 700;

export type FuzzReport = {
  readonly seed: number;
  readonly requests: number;
  readonly byOperation: ReadonlyMap<string, number>;
  readonly byStatus: ReadonlyMap<string, number>;
  /** How many requests were accepted of each kind that every long run must contain. */
  readonly accepted: ReadonlyMap<string, number>;
  readonly memoryMb: readonly number[];
  /** What went wrong. A failed request comes with a shell command that repeats it. */
  readonly failures: readonly string[];
};

/** Settings of the API that keep the rate limit from rejecting requests. */
const ENV = { RATE_LIMIT_PER_MINUTE: '100000000', TRUSTED_PROXY_HOPS: '1' };

/**
 * Sends valid and malformed requests to every operation of a real API process. The same seed gives the same
 * requests, but their responses depend on what earlier requests changed.
 */
export async function fuzz(ctx: Context, { seed, requests }: { seed: number; requests: number }): Promise<FuzzReport> {
  const api = await startProcess('api', ctx, ENV);
  const sender = openSender(api.url, CONCURRENCY);
  const memoryMb = [Math.round(readResidentMb(api.child.pid ?? 0))];
  try {
    const document = await readDocument(api.url);
    const operations = readOperations(document);
    const tally = openTally(parseApiDocument(document));
    const accepted = openAcceptedCounts();
    const readInputs = await openTenants(ctx, api.url);
    for (let done = 0; done < requests && api.child.exitCode === null; done += BATCH) {
      const batch = fc.sample(requestsTo(operations, await readInputs()), {
        seed: seed + done,
        numRuns: Math.min(BATCH, requests - done),
      });
      await forEachConcurrently(batch, async (request) => {
        const result = await sender.send(request);
        tally.add(request, result, api.url);
        accepted.add(request, result);
      });
      memoryMb.push(Math.round(readResidentMb(api.child.pid ?? 0)));
    }
    const exits = api.child.exitCode === null ? [] : [`the API process exited with ${api.child.exitCode}`];
    const errorLines = api.lines.filter((line) =>
      /unhandled|uncaught|request_failed|"level":"(error|fatal)"/.test(line),
    );
    const peakMb = Math.max(...memoryMb);
    const leaks = peakMb > MAX_MEMORY_MB ? [`the API process used ${peakMb} MB; the limit is ${MAX_MEMORY_MB}`] : [];
    const failures = [...tally.failures, ...exits, ...errorLines, ...leaks, ...accepted.missing(requests)];
    return { seed, requests, memoryMb, ...tally, accepted: accepted.counts, failures };
  } finally {
    sender.close();
    await api.stop();
  }
}

function openTally(document: ApiDocument) {
  const [byOperation, byStatus] = [new Map<string, number>(), new Map<string, number>()];
  const failures: string[] = [];
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  return {
    byOperation,
    byStatus,
    failures,
    add(request: FuzzRequest, result: SendResult, url: string): void {
      count(byOperation, request.operation);
      count(byStatus, 'status' in result ? String(result.status) : 'none');
      const fault = checkResponse(document, request, result);
      if (fault !== null) failures.push(`${request.operation}: ${fault}\n${toCurl(url, request).slice(0, 20_000)}`);
    },
  };
}

async function forEachConcurrently<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
