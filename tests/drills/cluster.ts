import { type ClusterDeployment, type ClusterNode, startCluster, until } from '@posthorn/testing';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario } from '../rig/scenario.js';
import type { LimitedWorkspaces } from './send-beyond-limits.js';
import { combineFaults, tryLimitsDuring } from './try-limits-during.js';

/** Moved besides the slots that the service uses. */
const OTHER_SLOTS = 30;
const ROUNDS = 3;

/** Three masters with replicas: slots move between the masters, and a master is killed and frozen, under load. */
export const cluster: Scenario = {
  id: 'cluster',
  fault: 'slots of a Redis Cluster move, and a master is killed and frozen, and its replica takes over, under load',
  options: { apis: 2, workers: 2, startRedis: () => startCluster({ withReplicas: true }) },
  async run(rig) {
    const deployment = rig.redis as ClusterDeployment;
    const moved = await tryLimitsDuring(rig, 'slots moved', (workspaces) => moveSlots(rig, deployment, workspaces), {
      isRedisDown: false,
    });
    const killed = await tryLimitsDuring(rig, 'killed', async ({ limited }) => {
      const master = await deployment.getOwner(`{${limited.workspaceId}}`);
      await master.kill();
      await untilReplaced(deployment, master);
      await master.revive();
      await untilAllNodesAgree(deployment);
    });
    const frozen = await tryLimitsDuring(rig, 'frozen', async () => {
      const master = await deployment.getOwner('{posthorn}');
      master.signal('SIGSTOP');
      await untilReplaced(deployment, master);
      master.signal('SIGCONT');
      await untilAllNodesAgree(deployment);
    });
    return combineFaults([moved, killed, frozen]);
  },
};

/** Every slot that the load uses goes from master to master, with some others. */
async function moveSlots(
  { random, tenant }: Rig,
  deployment: ClusterDeployment,
  { limited, capped }: LimitedWorkspaces,
): Promise<void> {
  const tags = ['posthorn', ...[tenant, limited, capped].map(({ workspaceId }) => workspaceId)];
  const used = await Promise.all(tags.map((tag) => deployment.getSlot(`{${tag}}`)));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const master of deployment.masters) {
      const others = Array.from({ length: OTHER_SLOTS / ROUNDS }, () => random.between(0, 16_383));
      await deployment.moveSlots([...used, ...others], master);
    }
}

/** Asks the other node of the pair. A master that failed before is now the replica of its pair. */
async function untilReplaced({ masters, replicas }: ClusterDeployment, failed: ClusterNode): Promise<void> {
  const replica = replicas[masters.indexOf(failed)] ?? masters[replicas.indexOf(failed)];
  await until('the replica is a master', async () =>
    String(await replica?.call('INFO', 'replication')).includes('role:master'),
  );
}

async function untilAllNodesAgree({ masters, replicas }: ClusterDeployment): Promise<void> {
  await until('all nodes are up to date', async () => {
    const infos = await Promise.all([...masters, ...replicas].map((node) => node.call('INFO', 'replication')));
    const roles = infos.map((info) => /role:(\w+)/.exec(String(info))?.[1]);
    const isLinked = infos.every((info) => !String(info).includes('master_link_status:down'));
    return roles.filter((role) => role === 'master').length === masters.length && isLinked;
  });
}
