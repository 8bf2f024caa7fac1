import { readFileSync } from 'node:fs';

/** Resident memory of a process in megabytes, as Linux tells it (proc(5)); 0 where it does not, or of none. */
export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
