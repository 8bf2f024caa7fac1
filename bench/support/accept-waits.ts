import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import type { Child } from './child.js';
import type { Row } from './table.js';

/** Node arguments that make an API process record how long each step takes, for `readWaits`. */
export const RECORD_WAITS_ARGS = ['--import', join(import.meta.dirname, 'record-waits.mjs')];

const SAMPLE_EVERY_MS = 5;

type Step = 'request' | 'admission' | 'admissionCall' | 'commit' | 'transaction';
/** How long the calls of each step took since the last reading; see record-waits.mjs. */
export type Waits = Record<Step, Wait>;
type Wait = { readonly calls: number; readonly ms: number; readonly sends: number; readonly msForAll: number };

/** The average number of sessions by what they were doing: `at work`, or the wait event of Postgres. */
export type Sessions = ReadonlyMap<string, number>;

/** The same load, as seen by the load generator and Postgres. */
export type LoadResult = {
  readonly accepted: number;
  readonly seconds: number;
  readonly connections: number;
  readonly sessions: Sessions;
};

/** Reads and resets the sums of the API. */
export async function readWaits({ process: child }: Child): Promise<Waits> {
  child.send('read');
  const [waits] = await once(child, 'message');
  return waits as Waits;
}

/**
 * Shows where a send spends its time while others are under way. The rows add up to its latency. A call to Redis or
 * Postgres counts until the process handles the reply. Under load, this happens some time after the reply arrives.
 */
export function toWaitRows(waits: Waits, { accepted, seconds, connections, sessions }: LoadResult): Row[] {
  // Little's law applies because every connection always has one request under way. The generator itself reports
  // latencies only in whole milliseconds.
  const latencyMs = (connections * seconds * 1_000) / accepted;
  const getMs = (step: Step) => waits[step].msForAll / waits[step].sends;
  const getGroup = (step: Step) => (waits[step].sends / waits[step].calls).toFixed(1);
  const row = (step: string, ms: number, group = ''): Row => ({
    'where a send waits': step,
    ms: ms.toFixed(2),
    share: `${((ms / latencyMs) * 100).toFixed(1)} %`,
    'sends per call': group,
  });
  const underWay = waits.transaction.ms / (seconds * 1_000);
  const inPostgres = [...sessions].map(([at, count]) =>
    row(`- in Postgres: ${at}`, getMs('transaction') * (count / underWay)),
  );
  return [
    row('for the next admission check', getMs('admission') - getMs('admissionCall')),
    row('for the admission check itself', getMs('admissionCall'), getGroup('admissionCall')),
    row('for the next transaction', getMs('commit') - getMs('transaction')),
    row('for the transaction itself', getMs('transaction'), getGroup('transaction')),
    ...inPostgres,
    row('for the rest of the API: body, sender, response', getMs('request') - getMs('admission') - getMs('commit')),
    row('outside the API: sockets, event loop, load generator', latencyMs - getMs('request')),
    row('total', latencyMs),
  ];
}

/** Samples what the sessions with an active statement are doing until `work` is done. */
export async function watchSessions<T>({ db }: Context, work: Promise<T>): Promise<{ result: T; sessions: Sessions }> {
  const seen = new Map<string, number>();
  let [samples, isOver] = [0, false];
  const result = work.finally(() => {
    isOver = true;
  });
  for (; !isOver; samples += 1) {
    const { rows } = await db.raw(`
      select coalesce(wait_event_type || ' ' || wait_event, 'at work') as at, count(*)::int as sessions
      from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend' group by 1`);
    for (const { at, sessions } of rows) seen.set(at, (seen.get(at) ?? 0) + sessions);
    await sleep(SAMPLE_EVERY_MS);
  }
  const sessions = new Map([...seen].map(([at, count]) => [at, count / samples]));
  return { result: await result, sessions };
}
