import { setTimeout as sleep } from 'node:timers/promises';
import type { SendResponse } from '../rig/client.js';
import { expectThat } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario } from '../rig/scenario.js';
import { CHECK_MS, startHaProxy } from './start-haproxy.js';

const REQUESTS_PER_SECOND = 60;
/** Longer than replacing everything takes, so that the last process gets requests too. */
const LOAD_MS = 60_000;
/** How often each process is replaced. */
const ROUNDS = 2;
/** Several health checks, so that HAProxy notices. */
const DELAY_SECONDS = 2;

/** A deployment behind a plain load balancer: every process is replaced twice under load, one after another. */
export const deploys: Scenario = {
  id: 'deploys',
  fault: 'every API and worker process is replaced twice, behind HAProxy without retries',
  options: { apis: 2, workers: 2, env: { SHUTDOWN_DELAY_SECONDS: String(DELAY_SECONDS) } },
  async run(rig) {
    const proxy = await startHaProxy(rig.apis.map(({ port }) => port));
    try {
      const responses = await whileSending(rig, proxy.url, () => Promise.all([replaceAll(rig), sleep(LOAD_MS)]));
      const failed = responses.filter(({ status }) => status !== 202);
      return {
        figures: `${failed.length} of ${responses.length} requests failed`,
        failures: expectThat(
          failed.length === 0,
          `${failed.length} requests failed, the first with ${failed[0]?.status ?? 'no response'}`,
        ),
      };
    } finally {
      await proxy.close();
    }
  },
};

async function replaceAll({ apis, workers }: Rig): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1)
    for (const process of [...apis, ...workers]) {
      await process.replace();
      // A deployment waits until the load balancer uses the new process.
      await sleep(2 * CHECK_MS);
    }
}

/** Sends at a fixed rate, each request once. @returns the responses */
async function whileSending(rig: Rig, url: string, work: () => Promise<unknown>): Promise<SendResponse[]> {
  const sent: Array<Promise<SendResponse>> = [];
  // Without a key, the client does not try again.
  const send = () => sent.push(rig.client.send({ ...rig.requestTo('ok'), key: null, api: () => url }));
  const startedAt = performance.now();
  // Catches up if a timer was late.
  const sendDue = () => {
    const due = ((performance.now() - startedAt) / 1_000) * REQUESTS_PER_SECOND;
    while (sent.length < due) send();
  };
  const sending = setInterval(sendDue, 1_000 / REQUESTS_PER_SECOND);
  try {
    await work();
  } finally {
    clearInterval(sending);
  }
  return Promise.all(sent);
}
