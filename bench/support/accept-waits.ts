import { once } from 'node:events';
import { join } from 'node:path';
import type { Child } from './child.js';
import type { Row } from './report.js';
import type { Sessions } from './watch-sessions.js';

/** Node's arguments for an API that `readWaits` can ask. */
export const RECORDING_WAITS = ['--import', join(import.meta.dirname, 'record-waits.mjs')];

type Step = 'request' | 'gate' | 'gateCall' | 'ledger' | 'transaction';
/** By step what all calls since the last reading took; see record-waits.mjs. */
export type Waits = Record<Step, Wait>;
type Wait = { readonly calls: number; readonly ms: number; readonly sends: number; readonly msForAll: number };

/** As the client and Postgres saw the same load. */
export type Seen = {
  readonly accepted: number;
  readonly seconds: number;
  readonly connections: number;
  readonly sessions: Sessions;
};

/** What the API has added up since it was last asked. */
export async function readWaits({ process: child }: Child): Promise<Waits> {
  child.send('read');
  const [waits] = await once(child, 'message');
  return waits as Waits;
}

/**
 * Where the time of one send goes while others are under way; together the rows are its latency. A call to
 * Redis or Postgres ends when the process gets round to its answer, which under load is later than it came.
 */
export function toWaitRows(waits: Waits, { accepted, seconds, connections, sessions }: Seen): Row[] {
  // Each connection always has one request under way (Little's law); the generator counts whole milliseconds.
  const latencyMs = (connections * seconds * 1_000) / accepted;
  const msOf = (step: Step) => waits[step].msForAll / waits[step].sends;
  const groupOf = (step: Step) => (waits[step].sends / waits[step].calls).toFixed(1);
  const row = (step: string, ms: number, group = ''): Row => ({
    'where a send waits': step,
    ms: ms.toFixed(2),
    share: `${((ms / latencyMs) * 100).toFixed(1)} %`,
    'sends together': group,
  });
  const underWay = waits.transaction.ms / (seconds * 1_000);
  const inPostgres = [...sessions].map(([at, count]) =>
    row(`- of which in Postgres, ${at}`, msOf('transaction') * (count / underWay)),
  );
  return [
    row('for its turn at the gate', msOf('gate') - msOf('gateCall')),
    row('for the gate itself', msOf('gateCall'), groupOf('gateCall')),
    row('for its turn at the ledger', msOf('ledger') - msOf('transaction')),
    row('for the transaction itself', msOf('transaction'), groupOf('transaction')),
    ...inPostgres,
    row('for the rest of the API: body, sender, answer', msOf('request') - msOf('gate') - msOf('ledger')),
    row('before and after: sockets, event loop, generator', latencyMs - msOf('request')),
    row('in all', latencyMs),
  ];
}
