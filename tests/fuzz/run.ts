import type { Context } from '@posthorn/domain';
import { residentMb } from '@posthorn/testing';
import fc from 'fast-check';
import { startProcess } from '../processes.js';
import { faultOf } from './judge.js';
import { openWorld } from './open-world.js';
import { readOperations } from './operations.js';
import { type FuzzRequest, requestsTo } from './requests.js';
import { openSender, type Sent, toCurl } from './send.js';

const BATCH = 500;
const AT_ONCE = 16;
/** What a process that is left alone gives back after a while is not looked at: this bounds a leak. */
const MOST_MB = 700;

export type FuzzReport = {
  readonly seed: number;
  readonly requests: number;
  readonly byOperation: ReadonlyMap<string, number>;
  readonly byStatus: ReadonlyMap<string, number>;
  readonly memoryMb: readonly number[];
  /** A sentence and a shell line for each; empty when all is well. */
  readonly failures: readonly string[];
};

/** The API's environment: nothing but its own limits stands in the way. */
const ENV = { RATE_LIMIT_PER_MINUTE: '100000000', TRUSTED_PROXY_HOPS: '1' };

/**
 * Sends requests of all kinds to every operation of a real API process. The same seed makes the same
 * requests; what they meet depends on those before them.
 */
export async function fuzz(ctx: Context, { seed, requests }: { seed: number; requests: number }): Promise<FuzzReport> {
  const api = await startProcess('api', ctx, ENV);
  const sender = openSender(api.url, AT_ONCE);
  const tally = openTally();
  const memoryMb = [Math.round(residentMb(api.child.pid ?? 0))];
  try {
    const operations = await readOperations(api.url);
    const lookAround = await openWorld(ctx, api.url);
    for (let done = 0; done < requests && api.child.exitCode === null; done += BATCH) {
      const batch = fc.sample(requestsTo(operations, await lookAround()), {
        seed: seed + done,
        numRuns: Math.min(BATCH, requests - done),
      });
      await inTurns(batch, async (one) => tally.add(one, await sender.send(one), api.url));
      memoryMb.push(Math.round(residentMb(api.child.pid ?? 0)));
    }
    const ended = api.child.exitCode === null ? [] : [`the process ended with ${api.child.exitCode}`];
    const complaints = api.lines.filter((line) =>
      /unhandled|uncaught|request_failed|"level":"(error|fatal)"/.test(line),
    );
    const swollen = Math.max(...memoryMb) > MOST_MB ? [`the process took ${Math.max(...memoryMb)} MB`] : [];
    return { seed, requests, memoryMb, ...tally, failures: [...tally.failures, ...ended, ...complaints, ...swollen] };
  } finally {
    sender.close();
    await api.stop();
  }
}

function openTally() {
  const [byOperation, byStatus] = [new Map<string, number>(), new Map<string, number>()];
  const failures: string[] = [];
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  return {
    byOperation,
    byStatus,
    failures,
    add(request: FuzzRequest, sent: Sent, url: string): void {
      count(byOperation, request.operation);
      count(byStatus, 'status' in sent ? String(sent.status) : 'none');
      const fault = faultOf(request, sent);
      if (fault !== null) failures.push(`${request.operation}: ${fault}\n${toCurl(url, request).slice(0, 20_000)}`);
    },
  };
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
