import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const TICKS_PER_SECOND = 100;

/** CPU time of a process in seconds, user and system together. */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = readStat(pid).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/**
 * CPU time of a server and its children in seconds, including children that have ended. In proc(5), the first field
 * after the name is number 3, and utime, stime, cutime and cstime are numbers 14 to 17.
 */
export function cpuSecondsOfTree(pid: number): number {
  const own = readStat(pid).slice(11, 15).map(Number);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter(([, parent]) => Number(parent) === pid)
    .flatMap((fields) => fields.slice(11, 13).map(Number));
  return [...own, ...children].reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** CPU time of each component per unit of work in microseconds, from its totals in seconds before and after it. */
export function usEach<Component extends string>(
  before: Readonly<Record<Component, number>>,
  after: Readonly<Record<Component, number>>,
  count: number,
): Record<Component, number> {
  const components = Object.keys(after) as Component[];
  const us = components.map((component) => [component, ((after[component] - before[component]) / count) * 1e6]);
  return Object.fromEntries(us) as Record<Component, number>;
}

/**
 * How many units per second there would be if all cores were always busy. @param us CPU time per unit, in microseconds
 */
export function cpuBoundRate(us: number): number {
  return (cpus().length * 1e6) / us;
}

/** The fields of /proc/<pid>/stat, starting with the state. Empty if the process has ended. */
function readStat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
