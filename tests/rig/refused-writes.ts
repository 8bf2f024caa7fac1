import { until } from '@posthorn/testing';
import type { SendResponse } from './client.js';
import { expectInTime, expectThat, type Failure } from './failures.js';
import type { Rig } from './open-rig.js';
import { readReadyzStatus } from './until.js';

/** While Postgres cannot store anything, a request must be answered within this time. */
export const MAX_RESPONSE_MS = 10_000;
/** Leaves out responses that were on their way when the fault began. */
export const MARGIN_MS = 500;

/** The responses to requests that were sent after `from` and answered before `to`. Both are `Date.now()` times. */
export function responsesBetween({ client }: Rig, from: number, to: number): SendResponse[] {
  return client.journal.entries.filter(({ at, ms }) => at - ms >= from && at <= to);
}

/** While Postgres cannot store anything, no request may get a 202 or a 500, or wait long for its response. */
export function failuresWhileRefusing(responses: readonly SendResponse[]): Failure[] {
  const refused = responses.filter(({ status }) => status === 503);
  const unexpected = responses.filter(({ status }) => status !== 503);
  const slowest = Math.round(Math.max(0, ...responses.map(({ ms }) => ms)));
  return [
    ...expectThat(
      unexpected.length === 0,
      `a request got ${unexpected[0]?.status} while Postgres could not be written to`,
    ),
    ...expectInTime(refused.length > 0, 'no request arrived while Postgres could not be written to'),
    ...expectInTime(slowest < MAX_RESPONSE_MS, `the slowest response took ${slowest} ms`),
  ];
}

/** @returns a failure unless `/readyz` of every API process answers 503. Their metrics must then say why */
export async function expectNotReady({ apis }: Rig, state: 'read_only' | 'standby_lost'): Promise<Failure[]> {
  const statuses = await Promise.all(apis.map(readReadyzStatus));
  const wrong = statuses.filter((status) => status !== 503);
  const line = `posthorn_postgres_state{state="${state}"} 1`;
  await until(`/metrics of every API process has ${line}`, async () =>
    (await Promise.all(apis.map(readMetrics))).every((text) => text.includes(line)),
  );
  return expectThat(wrong.length === 0, `/readyz answered ${wrong[0]} instead of 503`);
}

async function readMetrics({ url }: Rig['apis'][number]): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
