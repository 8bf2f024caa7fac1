import { once } from 'node:events';
import { join } from 'node:path';
import type { Child } from './child.js';

/** Node arguments that make a process record a CPU profile, for `startProfile` and `stopProfile`. */
export const PROFILE_ARGS = ['--import', join(import.meta.dirname, 'profile.mjs')];

type Profile = {
  readonly nodes: ReadonlyArray<{
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }>;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

export async function startProfile({ process: child }: Child): Promise<void> {
  child.send('start');
  await once(child, 'message');
}

/** @returns the CPU time of each part of the process in microseconds, without the time in which it was idle */
export async function stopProfile({ process: child }: Child): Promise<Map<string, number>> {
  child.send('stop');
  const [{ nodes, samples, timeDeltas }] = (await once(child, 'message')) as [Profile];
  const parts = new Map(nodes.map(({ id, callFrame }) => [id, toPart(callFrame)]));
  const sums = new Map<string, number>();
  for (const [index, sample] of samples.entries()) {
    const part = parts.get(sample) ?? '';
    sums.set(part, (sums.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  sums.delete('(idle)');
  return sums;
}

/** A file of ours, a package, a module or function of Node, or what V8 calls in brackets, such as `(garbage collector)`. */
function toPart({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name !== undefined) return name;
  const [, ours] = /\/(?:packages|apps)\/(.+)\.js$/.exec(url) ?? [];
  if (ours !== undefined) return ours.replace('/dist/', '/');
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  return functionName.startsWith('(') ? functionName : `native ${functionName}`;
}
