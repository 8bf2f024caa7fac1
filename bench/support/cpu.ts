import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const TICKS_PER_SECOND = 100;

/** Seconds of processor time a process has used, user and system together. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/**
 * Seconds of processor time of a server and its children, ended ones included (proc(5): the fields
 * from the third on follow the name; utime, stime, cutime and cstime are the 14th to 17th).
 */
export function cpuSecondsOfTree(pid: number): number {
  const own = statOf(pid).slice(11, 15).map(Number);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter(([, parent]) => Number(parent) === pid)
    .flatMap((fields) => fields.slice(11, 13).map(Number));
  return [...own, ...children].reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** Of those children of this process that have ended. */
export function cpuSecondsOfEnded(): number {
  const [user = 0, system = 0] = statOf(process.pid).slice(13, 15).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/** Microseconds of processor time for each of `count`, by party, from what each had used before and after. */
export function usEach<Party extends string>(
  before: Readonly<Record<Party, number>>,
  after: Readonly<Record<Party, number>>,
  count: number,
): Record<Party, number> {
  const parties = Object.keys(after) as Party[];
  const us = parties.map((party) => [party, ((after[party] - before[party]) / count) * 1e6]);
  return Object.fromEntries(us) as Record<Party, number>;
}

/** How many a second, were all cores at work without a pause. @param us of processor time that each takes */
export function rateWithoutPause(us: number): number {
  return (cpus().length * 1e6) / us;
}

/** The fields of a process from its state on; none when it has ended meanwhile. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
