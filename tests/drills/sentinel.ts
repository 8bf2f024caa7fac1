import { type SentinelDeployment, startSentinels, until } from '@posthorn/testing';
import type { Scenario } from '../rig/scenario.js';
import { combineFaults, tryLimitsDuring } from './try-limits-during.js';

/** A master with a replica and three Sentinels: the master is killed, swapped with its replica, and frozen, under load. */
export const sentinel: Scenario = {
  id: 'sentinel',
  fault: 'the Redis master is killed, swapped with its replica, and frozen, and Sentinels replace it, under load',
  options: { apis: 2, workers: 2, startRedis: startSentinels },
  async run(rig) {
    const deployment = rig.redis as SentinelDeployment;
    const killed = await tryLimitsDuring(rig, 'killed', async () => {
      const master = await deployment.master();
      await master.kill();
      await untilReplaced(deployment, master.port);
      await master.revive();
      await untilReplicating(deployment);
    });
    const swapped = await tryLimitsDuring(rig, 'swapped', async () => {
      await deployment.failOver();
      await untilReplicating(deployment);
    });
    const frozen = await tryLimitsDuring(rig, 'frozen', async () => {
      const master = await deployment.master();
      master.signal('SIGSTOP');
      await untilReplaced(deployment, master.port);
      master.signal('SIGCONT');
      await untilReplicating(deployment);
    });
    return combineFaults([killed, swapped, frozen]);
  },
};

async function untilReplaced({ master }: SentinelDeployment, port: number): Promise<void> {
  await until('the Sentinels name another master', async () => (await master()).port !== port);
}

/** Sentinels fail over only to a replica that is up to date. */
async function untilReplicating(deployment: SentinelDeployment): Promise<void> {
  await until('the replica has the data of the master', async () => {
    const master = await deployment.master();
    const replica = deployment.servers.find((server) => server !== master);
    const info = String(await replica?.call('INFO', 'replication'));
    return info.includes('role:slave') && info.includes('master_link_status:up');
  });
}
