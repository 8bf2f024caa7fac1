import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, startSentinels, until } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';

type Deployment = { readonly url: string; failOver(): Promise<void>; close(): Promise<void> };

const QUEUE_TAG = '{posthorn}';

const failOvers: Array<[string, () => Promise<Deployment>]> = [
  ['Sentinels swap master and replica', startSentinels],
  [
    'Sentinels replace a master that was killed',
    async () => {
      const deployment = await startSentinels();
      const failOver = async () => {
        const old = await deployment.master();
        await old.kill();
        await until(async () => (await deployment.master()) !== old);
      };
      return { ...deployment, failOver };
    },
  ],
  [
    'a replica in a cluster takes over the queue from a master that was killed',
    async () => {
      const cluster = await startCluster({ withReplicas: true });
      const failOver = async () => {
        const old = await cluster.getOwner(QUEUE_TAG);
        await old.kill();
        await until(async () => (await cluster.getOwner(QUEUE_TAG)) !== old);
      };
      return { ...cluster, failOver };
    },
  ],
  [
    'the queue moves to another master of a cluster',
    async () => {
      const cluster = await startCluster();
      const failOver = async () => {
        const old = await cluster.getOwner(QUEUE_TAG);
        const other = cluster.masters.find((master) => master !== old) as typeof old;
        await cluster.moveSlots([await cluster.getSlot(QUEUE_TAG)], other);
      };
      return { ...cluster, failOver };
    },
  ],
];

let t: TestWorker;
let deployment: Deployment;

afterEach(async () => {
  await t.close();
  await deployment.close();
});

/** Sends emails until one is delivered by its job. The sweep runs only once a minute, which is too late for this. */
async function untilJobIsProcessed(): Promise<void> {
  for (;;) {
    const id = await t.accept();
    await sleep(250);
    if ((await t.read(id)).status === 'sent') return;
  }
}

test.each(failOvers)('emails are delivered through their jobs again after %s', async (_title, start) => {
  deployment = await start();
  t = await openTestWorker({ config: { redisUrl: deployment.url, sweepIntervalMs: 60_000 } });
  await untilJobIsProcessed();
  await deployment.failOver();
  await untilJobIsProcessed();
});
