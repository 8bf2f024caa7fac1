import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../../../bench/support/child.js';

/** In milliseconds. */
export type Cost = {
  /** CPU time of the thread that runs the event loop. */
  readonly cpu: number;
  /** The longest time that other requests had to wait. It is also longer when other programs use the CPU. */
  readonly longestBlock: number;
  readonly status: number;
};

export type RequestToMeasure = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** Leaves time for work that continues after the response. */
const SETTLE_MS = 5;

export async function measureRequest(
  api: Child & { readonly url: string },
  agent: Agent,
  { method, path, headers, body }: RequestToMeasure,
): Promise<Cost> {
  await longestBlock(api);
  const before = cpuMs(api);
  const status = await new Promise<number>((resolve, reject) => {
    const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const client = request(`${api.url}${path}`, { method, agent, headers: { ...headers, ...length } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    client.on('error', reject);
    client.end(body ?? undefined);
  });
  await sleep(SETTLE_MS);
  return { cpu: cpuMs(api) - before, longestBlock: await longestBlock(api), status };
}

/**
 * Reads the first field of schedstat: nanoseconds spent on a CPU (Linux, Documentation/scheduler/sched-stats). The main
 * thread's id is the process id.
 */
function cpuMs({ process: { pid } }: Child): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** @returns for how many milliseconds the event loop has been blocked since the last call, at most */
export async function longestBlock({ process: child }: Pick<Child, 'process'>): Promise<number> {
  const reply = once(child, 'message');
  child.send('read');
  return (await reply)[0];
}
