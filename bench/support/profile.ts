import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from './table.js';

type ProfileNode = { id: number; callFrame: { functionName: string; url: string }; children?: number[] };
type Profile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[]; startTime: number };

const MAX_STEPS = 12;

/**
 * Shows where the main thread of a process spends its time, largest shares first. It gives no rates, because the
 * profiler itself takes time.
 * @param work starts one process with these arguments, calls `begin` once it has warmed up, and finally stops it
 */
export async function profileSteps(
  heading: string,
  work: (nodeArgs: readonly string[], begin: () => void) => Promise<void>,
): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-profile-'));
  let fromUs = 0;
  await work(['--cpu-prof', '--cpu-prof-dir', folder], () => {
    fromUs = Number(process.hrtime.bigint() / 1_000n);
  });
  const shares = shareByFile(folder, fromUs).slice(0, MAX_STEPS);
  rmSync(folder, { recursive: true });
  return shares.map(({ file, share }) => ({ [heading]: file, share: `${(share * 100).toFixed(1)} %` }));
}

/**
 * Attributes each sample to the innermost file of this repository on the stack. Time in Node or a library counts toward
 * the file that made the call.
 * @param folder the value of `--cpu-prof-dir`
 * @param fromUs the time from which samples count, on the clock of `process.hrtime`
 * @returns shares of the time that was not idle, largest first
 */
function shareByFile(folder: string, fromUs: number): Array<{ file: string; share: number }> {
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
  const profile: Profile = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const ownerOf = ownersOf(profile.nodes);
  const times = new Map<string, number>();
  let [now, total] = [profile.startTime, 0];
  profile.samples.forEach((sample, index) => {
    const delta = profile.timeDeltas[index] ?? 0;
    now += delta;
    const owner = ownerOf(sample);
    if (owner === null || now < fromUs) return;
    times.set(owner, (times.get(owner) ?? 0) + delta);
    total += delta;
  });
  return [...times].sort(([, a], [, b]) => b - a).map(([file, time]) => ({ file, share: time / total }));
}

/** @returns a function that maps a node to its file, or to null if the process was idle */
function ownersOf(nodes: readonly ProfileNode[]): (id: number) => string | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  return (id) => {
    const { functionName = '' } = byId.get(id)?.callFrame ?? {};
    if (functionName === '(idle)') return null;
    if (functionName === '(garbage collector)') return 'garbage collector';
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const own = /\/((?:apps|packages)\/[^/]+)\/dist\/(.*)\.js$/.exec(byId.get(at)?.callFrame.url ?? '');
      if (own) return `${own[1]}/src/${own[2]}.ts`;
    }
    return 'Node and libraries';
  };
}
