import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from './report.js';

type Frame = { id: number; callFrame: { functionName: string; url: string }; children?: number[] };
type Profile = { nodes: Frame[]; samples: number[]; timeDeltas: number[]; startTime: number };

const MOST_STEPS = 12;

/**
 * Shares of the time of a process' main thread, largest first. The profiler costs time: no rates.
 * @param work starts one process with these arguments of Node, calls `begin` when it is warm, and ends it
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
  const shares = shareByFile(folder, fromUs).slice(0, MOST_STEPS);
  rmSync(folder, { recursive: true });
  return shares.map(({ file, share }) => ({ [heading]: file, share: `${(share * 100).toFixed(1)} %` }));
}

/**
 * Where a process spent its time: each sample counts for the innermost file of ours on its stack, so
 * that what a step calls in Node or a library is the step's.
 * @param folder what `--cpu-prof-dir` named
 * @param fromUs leaves out what came before, on the clock of `process.hrtime`
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

/** @returns for a node the file it counts for; null while the process was idle */
function ownersOf(nodes: readonly Frame[]): (id: number) => string | null {
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
    return 'Node and libraries by themselves';
  };
}
