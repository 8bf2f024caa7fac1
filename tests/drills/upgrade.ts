import { setTimeout as sleep } from 'node:timers/promises';
import type { SendRequest } from '../rig/client.js';
import { expectThat, type Failure } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario } from '../rig/scenario.js';
import { ROOT } from '../rig/servers.js';
import type { SupervisedProcess } from '../rig/supervised-process.js';
import { buildVersion, findPreviousCommit, whyNoPreviousCommit } from './build-version.js';

const SENDERS = 6;
const PAUSE_MS = 20;
/** How long both versions run beside each other between two replacements. */
const SIDE_BY_SIDE_MS = 1_500;
/** Requests that an API has begun are finished in this time. */
const DRAIN_MS = 1_000;

const FILE = { filename: 'report.txt', content: Buffer.from('report').toString('base64') };

/** What the emails need, so that old workers get some that only newer ones may understand. */
const KINDS: readonly [object, ...object[]] = [
  {},
  { attachments: [FILE] },
  { unsubscribe: { topic: 'news' } },
  { priority: 'high', tags: [{ name: 'kind', value: 'upgrade' }] },
];

/**
 * A rolling upgrade from another commit: its API and workers run beside ours, which migrate the database under load.
 * @param ref the commit; the previous one if it is not given
 */
export function upgrade(ref: string | undefined): Scenario {
  return {
    id: 'upgrade',
    fault: 'every API and worker process of an older version is replaced, while the newer ones migrate the database',
    skip: () => (ref === undefined ? whyNoPreviousCommit() : null),
    options: {
      apis: 2,
      workers: 2,
      async olderVersion() {
        return buildVersion(ref ?? (await findPreviousCommit()));
      },
    },
    async run(rig) {
      const before = await countMigrations(rig);
      const balancer = openBalancer(rig.apis);
      const attempts = await sendWhile(rig, balancer, () => replaceAll(rig, balancer));
      const errors = rig.client.journal.entries.filter(({ status }) => status !== null && status >= 500);
      const after = await countMigrations(rig);
      return {
        figures: `${after - before} migrations; side by side, old workers made ${attempts.old} attempts and new ones ${attempts.new}`,
        failures: [
          ...expectThat(
            errors.length === 0,
            `${errors.length} requests failed: ${errors[0]?.status} ${errors[0]?.body}`,
          ),
          ...expectThat(attempts.old > 0 && attempts.new > 0, 'only one version delivered while both were running'),
          ...failuresOfAttempts(rig),
        ],
      };
    },
  };
}

/** Takes an API out of rotation while it is replaced, as a load balancer does that asks /readyz. */
type Balancer = {
  /** An API that is in rotation. */
  pick(random: Rig['loadRandom']): SupervisedProcess;
  replace(api: SupervisedProcess, checkout?: string): Promise<void>;
};

function openBalancer(apis: readonly SupervisedProcess[]): Balancer {
  const replaced = new Set<SupervisedProcess>();
  return {
    pick: (random) =>
      random.pick(apis.filter((api) => !replaced.has(api)) as [SupervisedProcess, ...SupervisedProcess[]]),
    async replace(api, checkout) {
      replaced.add(api);
      await sleep(DRAIN_MS);
      await api.replace(checkout);
      replaced.delete(api);
    },
  };
}

type Attempts = { readonly old: number; readonly new: number };

/**
 * Workers first: they understand the mail of the old API. Between the steps, old processes start again with the new
 * schema. @returns how many attempts each version made while both were running
 */
async function replaceAll({ apis, workers }: Rig, balancer: Balancer): Promise<Attempts> {
  const [newWorker, oldWorker] = workers as [SupervisedProcess, SupervisedProcess];
  const [newApi, oldApi] = apis as [SupervisedProcess, SupervisedProcess];
  await sleep(SIDE_BY_SIDE_MS);
  await newWorker.replace(ROOT);
  const before = [oldWorker, newWorker].map(countAttempts) as [number, number];
  await sleep(SIDE_BY_SIDE_MS);
  await oldWorker.replace();
  await balancer.replace(oldApi);
  await balancer.replace(newApi, ROOT);
  await sleep(SIDE_BY_SIDE_MS);
  const after = [oldWorker, newWorker].map(countAttempts) as [number, number];
  await oldWorker.replace(ROOT);
  await balancer.replace(oldApi, ROOT);
  await sleep(SIDE_BY_SIDE_MS);
  return { old: after[0] - before[0], new: after[1] - before[1] };
}

function countAttempts({ lines }: SupervisedProcess): number {
  return lines.filter((line) => line.includes('"msg":"attempt_ended"')).length;
}

async function countMigrations({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw('select count(*)::int as count from migrations');
  return rows[0].count;
}

/** Keeps sending emails of every kind until `work` is done. */
async function sendWhile<Result>(rig: Rig, balancer: Balancer, work: () => Promise<Result>): Promise<Result> {
  const { loadRandom } = rig;
  let isOver = false;
  const next = (): SendRequest | null => {
    if (isOver) return null;
    const api = () => balancer.pick(loadRandom).url;
    return rig.requestTo(loadRandom.pick(['ok', 'ok', 'busy']), { api, extra: loadRandom.pick(KINDS) });
  };
  const load = rig.client.load(SENDERS, next, PAUSE_MS);
  try {
    return await work();
  } finally {
    isOver = true;
    await load;
  }
}

/** Nothing was killed, so no attempt may be in doubt. */
function failuresOfAttempts({ workers }: Rig): Failure[] {
  const inDoubt = workers.flatMap(({ lines }) => lines).filter((line) => line.includes('"outcome":"ambiguous"'));
  return expectThat(inDoubt.length === 0, `${inDoubt.length} attempts are ambiguous`);
}
